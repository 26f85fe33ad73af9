"""Labels of a card, a post and a split text: what stands around an answer's own words."""

from steward.texts.catalogue import Text

ANSWER = Text(zh="答复", en="Answer")
NOTICE = Text(zh="通知", en="Notice")
EVIDENCE = Text(zh="依据全文", en="Evidence in full")
"""A card's one-line preview where neither its headline nor its coverage can serve."""

FOLD = Text(zh="依据与读取情况", en="Evidence and reading")
FOLD_MORE = Text(
    zh="另有 {count} 条结论，以及依据与读取情况",
    en="More conclusions ({count}), evidence and reading",
)
"""The title of the folded part, and the same where conclusions stand in it too."""

DETAILS = Text(zh="读取情况", en="Reading")
SOURCES = Text(zh="依据", en="Evidence")
"""Headings inside the folded part."""

MORE_SOURCES = Text(zh="另有 {count} 条依据未列出", en="+{count} more rows of evidence, not listed")
"""Ends a list of evidence that was shortened."""

SHOW_EVIDENCE = Text(zh="显示依据全文", en="Show evidence in full")
"""The button behind which the cited rows stand whole."""

ASK_AGAIN = Text(zh="再问一次", en="Ask again")
ASK_AGAIN_ANYWAY = Text(zh="仍要再问一次", en="Ask again anyway")
"""The button under the notice of a question that is owed, and the one under what asking again may repeat."""

CHOICE_NAMED = Text(zh="{title}（{id}）", en="{title} ({id})")
"""A button's label where two goals have one title."""

CHOICES = Text(
    zh="请回复这条消息，写上其中一个名称：", en="Reply to this message with one of these names:"
)
"""Stands before the choices where a message can have no buttons."""

UNPRESSABLE = Text(
    zh="这里显示不了按钮，所以按不了。请再发一次命令。",
    en="The buttons cannot be shown here, so nothing can be pressed. Send the command again.",
)
"""Stands where a button that no words can replace would be."""

PART = Text(zh="（{number}/{of}）", en="({number}/{of})")
"""Opens each message of an answer that needed several."""

MAY_BE_DUPLICATE = Text(
    zh="可能是重复发送：之前那次不确定有没有送达。",
    en="This may be a duplicate: it is not known whether it arrived before.",
)
"""Tops a message that is sent once more."""
