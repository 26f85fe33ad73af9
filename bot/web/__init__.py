"""The pages and probes of the process: health, readiness, metrics."""
