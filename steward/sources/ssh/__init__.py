"""A LoopX on another host, read over the system's ssh (R13): the same pages, a carrier of their own.

kind → command (one fixed command on a verified host) → outcome (what became of it). All else is steward.sources.loopx.
"""

from steward.sources.ssh.kind import SshKind

__all__ = ["SshKind"]
