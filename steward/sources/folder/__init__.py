"""A folder of files as evidence: YAML, one file per goal, and Markdown whose checkboxes are todos. Design §6.

kind → source → loader (memory, files) → parser (yaml_text, markdown) → records → snapshot. All but kind and
source run in one worker thread per source, off the loop; long texts are parsed by a child process. No path and no
file name leaves this package.
"""

from steward.sources.folder.kind import FolderKind

__all__ = ["FolderKind"]
