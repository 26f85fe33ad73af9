"""E4: a claim holds no link, no address, no mention and no markup. Links stand in the evidence list, made by code.

The sender makes all text harmless besides; here it does not pass at all. A cited row's own link may be named as text.
"""

import re
from collections.abc import Set
from dataclasses import replace

from steward.model.ids import CitationId
from steward.policy.basis import Basis
from steward.policy.drafts import Draft, Dropped, DropReason
from steward.policy.quotes import folded, rows_of, without_rows

_MARKUP = re.compile(
    r"""
      [a-z][a-z0-9+.-]{1,20}://                         # an address with a scheme
    | \b(?:javascript|data|mailto|tel|lark|feishu):(?=\S)
    | \bwww\.\w
    | (?<![a-z0-9.-])(?:[a-z0-9-]{1,63}\.){1,6}[a-z]{2,24}(?::\d{1,5})?[/?\#](?=\S)   # a host with a path
    | (?<![a-z0-9-])[a-z0-9-]{1,63}\.(?:com|net|org|io|cn|dev|app|ai|co|top|xyz|info|biz|site|ru|example|local)\b
    | \b(?:\d{1,3}\.){3}\d{1,3}(?::\d+|/)\S
    | (?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.\w          # a mail address
    | \[[^\[\]]{0,400}\]\s{0,3}[(\[]\s{0,3}\S                         # a link or a picture, [text](target) or [text][name]
    | ^\s*\[[^\]]{1,400}\]:\s                                 # a link's definition
    | <!|<[/?]?[a-z]                                     # a tag
    | &(?:\#x?[0-9a-f]+|[a-z]{2,8});                    # an entity
    | (?<![a-z0-9._])@(?:[\w\u4e00-\u9fff]|\s?(?:all|everyone|here|channel|所有人|全体))   # a mention
    | \{\{|\}\}|\{%
    | \$\{
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_EMPHASIS = re.compile(
    r"\*\*([^*]{1,400})\*\*|(?<!\w)__([^_]{1,400})__(?!\w)|~~([^~]{1,400})~~|`{1,3}([^`]{1,400})`{1,3}"
)
_MARK = re.compile(r"\s?\[(?:\d{1,3}|E\d+-[\w-]+)(?:\s*,\s*(?:\d{1,3}|E\d+-[\w-]+))*\]")


def markup(draft: Draft, basis: Basis, _shown: Set[CitationId]) -> Draft | Dropped:
    """E4: emphasis is taken off, citation marks of an endpoint's own too; a link, mention or tag drops the claim."""
    if not draft.worded:
        return draft
    text = without_rows(draft, basis)
    if text == draft.text:
        text = _MARK.sub(
            "", _EMPHASIS.sub(lambda found: next(filter(None, found.groups())), text)
        ).strip()
        draft = replace(draft, text=text)
    for row in rows_of(draft, basis):
        text = text.replace(row.link, " ") if row.link else text
    if not text:
        return Dropped(DropReason.BLANK)
    return Dropped(DropReason.MARKUP) if _MARKUP.search(folded(text)) else draft
