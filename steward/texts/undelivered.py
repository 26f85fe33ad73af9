"""What the owner is told of messages that could not be delivered, without a word of any (W3)."""

from collections.abc import Mapping

from steward.texts.catalogue import Text

LOST = Text(zh="有 {count} 条消息没能送达。", en="{count} messages could not be delivered.")
LOST_ONE = Text(zh="有一条消息没能送达。", en="A message could not be delivered.")

ANSWER = Text(
    zh="{place}：{asked} 的提问没收到回答。{reason}",
    en="{place}: the question of {asked} got no answer. {reason}",
)
NOTICE = Text(
    zh="{place}：{asked} 的提问没能回答，说明也没送到。{reason}",
    en="{place}: the question of {asked} was not answered, and the note that says so did not arrive. {reason}",
)
EVIDENCE = Text(
    zh="{place}：{asked} 的提问后来要看的依据没送到。{reason}",
    en="{place}: the evidence behind the question of {asked} was asked for and did not arrive. {reason}",
)
REPLY = Text(
    zh="{place}：一条回复没送到。{reason}",
    en="{place}: a reply did not arrive. {reason}",
)

ASK_AGAIN = Text(
    zh="没收到回答的问题仍列为待回答，不会自动重发。原因解决后，请对方在原会话里再问一次。",
    en="Questions without their answer stay on record as owed; nothing is sent again by itself. "
    "Once the reason is gone, they can be asked again in their chat.",
)

REASONS: Mapping[str, Text] = {
    "target_gone": Text(
        zh="原因：要回复的那条消息已被撤回或删除。",
        en="Reason: the message to reply to was recalled or deleted.",
    ),
    "chat_gone": Text(
        zh="原因：会话已解散，或者我已不在里面。",
        en="Reason: the chat was dissolved, or I am not in it any more.",
    ),
    "chat_closed": Text(
        zh="原因：会话设置或对方的设置不让我发言。",
        en="Reason: the settings of the chat, or of the person, do not let me speak.",
    ),
    "permission": Text(
        zh="原因：平台不允许我在这里发送。",
        en="Reason: the platform does not allow me to send there.",
    ),
    "content_blocked": Text(
        zh="原因：平台的内容检查拦下了它。",
        en="Reason: the platform's check of contents stopped it.",
    ),
    "fate_unknown": Text(
        zh="原因：发过两次，都不知道有没有送达。",
        en="Reason: it was sent twice, and it is not known whether either arrived.",
    ),
    "rate_limited": Text(
        zh="原因：平台一直说发送太频繁。",
        en="Reason: the platform kept saying that too much is sent.",
    ),
    "not_proven": Text(
        zh="原因：要回复的消息不属于这个会话，可能是伪造的。",
        en="Reason: the message to reply to is not of this chat; it may be forged.",
    ),
}
REASONS_ALIKE: Mapping[str, str] = {"message_gone": "target_gone"}
OTHER_REASON = Text(zh="原因：平台没有接受它。", en="Reason: the platform did not take it.")

SILENCE = Text(
    zh="从 {start} 到 {end}（{zone}）什么都发不出去：{reason}现在已恢复，积下的消息正在补发。",
    en="From {start} to {end} ({zone}) nothing could be sent: {reason} It works again, and what had waited is being sent.",
)
SILENCES: Mapping[str, Text] = {
    "quota": Text(
        zh="这个应用本月的调用额度用完了。", en="the app had used up its calls for this month."
    ),
    "app_refused": Text(
        zh="平台停用了这个应用，或缺少权限，或不接受本机地址。",
        en="the platform had switched the app off, a permission was missing, or our address was not allowed.",
    ),
    "token": Text(
        zh="平台不接受这个应用的凭证。", en="the platform did not accept the app's credentials."
    ),
}
SILENCE_OTHER = Text(zh="连不上平台。", en="the platform could not be reached.")
