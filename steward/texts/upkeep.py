"""What the steward says without being asked: that it was away, what has been owed for long, that it was restored."""

from steward.texts.catalogue import Text

AWAY = Text(
    "从 {start} 到 {end}（{zone}）我不在。这段时间的消息我可能没收到，还想知道的请再问一次。",
    "I was away from {start} to {end} ({zone}). Messages in between may not have reached me: ask again if you still want to know.",
)

AGEING_ONE = Text(
    "有一个问题超过一天还没答上来", "A question has been unanswered for more than a day"
)
AGEING = Text(
    "有 {count} 个问题超过一天还没答上来",
    "Questions that have been unanswered for more than a day: {count}",
)
AGEING_NEXT = Text(
    "它们不会自动重新执行，要在原会话里再问一次。",
    "Nothing is run again by itself: they have to be asked again in their chats.",
)

RESTORED = Text(
    "我用较早的备份恢复过，不知道这个问题后来有没有答过。",
    "I was restored from an earlier copy and cannot tell whether this question was answered since.",
)
RESTORED_ACTION = Text(
    "如果上面没有回答，请再问一次。", "If there is no answer above, please ask again."
)
