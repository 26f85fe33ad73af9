"""Who works on which conversation: leases, and wake-ups that are hints."""
