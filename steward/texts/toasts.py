"""What a person who pressed a button is told at once, in one or two short sentences."""

from collections.abc import Mapping

from steward.model.action import ActionKind, ClickRefusal
from steward.texts.catalogue import Text

CLICK_NOT_RECORDED = Text(
    zh="这次点击没有记下，什么都没有改变。请稍后再按一次。",
    en="This click was not recorded, and nothing was changed. Please press again in a moment.",
)

CLICK_SLOW = Text(
    zh="处理得比平时慢。如果一分钟内没有回复，请再按一次，不会重复执行。",
    en="This takes longer than usual. If no reply comes within a minute, press again: it is done only once.",
)

DONE: Mapping[ActionKind, Text] = {
    ActionKind.EVIDENCE: Text(
        zh="依据会发在提问下面的回复里。", en="The evidence follows in a reply to the question."
    ),
    ActionKind.CHOOSE: Text(
        zh="好的，回答会发在提问下面的回复里。",
        en="Noted. The answer follows in a reply to the question.",
    ),
    ActionKind.ASK_AGAIN: Text(
        zh="好的，结果会发在提问下面的回复里。",
        en="Noted. What comes of it follows in a reply to the question.",
    ),
    ActionKind.ASK_AGAIN_ANYWAY: Text(
        zh="好的，再问一次，回答会发在提问下面的回复里。",
        en="Noted, it is asked again. The answer follows in a reply to the question.",
    ),
}

REFUSED: Mapping[ClickRefusal, Text] = {
    ClickRefusal.UNKNOWN: Text(
        zh="这个按钮已经失效，什么都没有改变。请重新提问。",
        en="This button is no longer in use, and nothing was changed. Please ask again.",
    ),
    ClickRefusal.EXPIRED: Text(
        zh="这个按钮已经过期，什么都没有改变。请重新提问。",
        en="This button has expired, and nothing was changed. Please ask again.",
    ),
    ClickRefusal.USED: Text(
        zh="这个按钮已经按过了，结果在提问下面的回复里。",
        en="This button was pressed before; its result is among the replies to the question.",
    ),
    ClickRefusal.FOREIGN_CARD: Text(
        zh="这个按钮只在原来的回答上有效，什么都没有改变。",
        en="This button works on the original answer only, and nothing was changed.",
    ),
    ClickRefusal.NOT_PERMITTED: Text(
        zh="只有提问的人或机器人的所有者可以按，什么都没有改变。",
        en="Only the asker or the owner of this bot may press this. Nothing was changed.",
    ),
    ClickRefusal.WITHDRAWN: Text(
        zh="这个问题已经撤回，什么都没有改变。",
        en="The question was withdrawn, and nothing was changed.",
    ),
    ClickRefusal.AUTHORIZATION_CHANGED: Text(
        zh="这里的可读范围变了，这部分内容不再显示。请重新提问。",
        en="What may be read here changed, so this is not shown any more. Please ask again.",
    ),
    ClickRefusal.TOO_MANY: Text(
        zh="还有好几个问题没有回答完，这次没有再提问。请等它们回答后再按一次。",
        en="Several questions are still being answered, so nothing was asked. Please press again once they are done.",
    ),
    ClickRefusal.NOT_NOW: Text(
        zh="现在还不能处理这次点击，什么都没有改变。请稍后再按一次。",
        en="This click cannot be handled yet, and nothing was changed. Please press again in a moment.",
    ),
}
"""One for each reason why a press does nothing."""
