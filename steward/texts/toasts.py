"""What a person who pressed a button is told at once, where nothing else can tell them."""

from steward.texts.catalogue import Text

CLICK_NOT_RECORDED = Text(
    zh="这次点击没有记下，什么都没有改变。请稍后再按一次。",
    en="This click was not recorded, and nothing was changed. Please press again in a moment.",
)

CLICK_EXPIRED = Text(
    zh="这个按钮已经失效，什么都没有改变。请重新提问。",
    en="This button is no longer in use, and nothing was changed. Please ask again.",
)
