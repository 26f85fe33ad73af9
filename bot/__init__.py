"""Lark in, Lark out, and the process: `bot` knows `steward`, never the reverse.

Layers, arrows downwards only:
__main__ > cli > app > commands | deliveries | upkeep > parts > host | jobs | kinds | lark | simulator | web > settings.
"""
