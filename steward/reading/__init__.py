"""The read tool, pure: schema, refusals, the table of failures, pages, coverage. Contract R."""
