"""The read tool, pure: its schema, refusals, the table of failures, pages and coverage. Contract R.

Above: control's gate, which does the waiting. Below: model and texts. Nothing here opens anything.
"""
