"""Verbs: the few async functions that act, over ports alone.

What comes in: inbound, intake, audiences, arrivals, tenancy. What is told: commands, presses, approvals and what they use.
What is asked: grounds, turns, calls, gate, conclusions, endings. What goes out: parts, places, outbox, guards, holding,
undelivered, to_owner. What comes after: recovery, review, restoring, upkeep. Who and what holds now: authorities, scopes,
profiles, standing.
"""
