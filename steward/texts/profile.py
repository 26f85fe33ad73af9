"""The runtime profile as its owner reads it: what holds, what a change does, and what became of one (P3, P5, P6, P8)."""

from steward.texts.catalogue import Text

REPAIR = Text(
    zh="先预览，再应用一个配置，就能替换读不懂的内容：私聊里发 /profile restricted，"
    "或在命令行运行 steward profile preview restricted。",
    en="Preview and apply a profile, which replaces what cannot be read: send /profile restricted in private, "
    "or run steward profile preview restricted.",
)
