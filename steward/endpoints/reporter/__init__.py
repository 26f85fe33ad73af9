"""The endpoint that needs no model: it reads, counts and lists, and words nothing that it did not read."""
