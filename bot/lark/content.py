"""The readable words of a message: plain text and rich posts; of every other type only its name is known.

Mentions keep their placeholder keys, so that a name cannot be taken for one. Links keep their text alone: an
address is nothing to ask about, and nothing here ever opens one.
"""

from bot.lark.payloads import PostBody, PostNode, TextBody, post, read
from steward.model.events import Content, TextContent, UnreadableContent

_TEXT = "text"
_POST = "post"
_MENTION_KEY = "@_"
_UNNAMED = "unknown"
_PICTURES = frozenset({"img", "media"})


def content(message_type: str | None, raw: str | None) -> Content:
    """What a message says. Content that is not what its type promises is unreadable, never empty."""
    document = (raw or "").encode("utf-8", "surrogatepass")
    if message_type == _TEXT:
        body = read(TextBody, document)
        if body is not None and body.text is not None:
            return TextContent(body.text)
    if message_type == _POST:
        rich = post(document)
        if rich is not None:
            return _post(rich)
    return UnreadableContent(message_type or _UNNAMED)


def _post(body: PostBody) -> Content:
    lines = ["".join(_words(node) for node in line) for line in body.content or ()]
    text = "\n".join(line for line in (body.title, *lines) if line.strip())
    pictures = any(node.tag in _PICTURES for line in body.content or () for node in line)
    return UnreadableContent(_POST) if pictures and not text else TextContent(text)


def _words(node: PostNode) -> str:
    match node.tag:
        case "at":
            is_key = node.user_id.startswith(_MENTION_KEY)
            return node.user_id if is_key else f"@{node.user_name}"
        case "a":
            return node.text or node.href
        case _:
            return node.text
