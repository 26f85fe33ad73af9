"""What people are told where there is no answer: failed questions, refusals, messages that could not be read (W3)."""

from collections.abc import Mapping
from dataclasses import dataclass

from steward.model.audience import DeclineReason
from steward.model.turn import TurnCode
from steward.texts.catalogue import Text


@dataclass(frozen=True, slots=True)
class FailedText:
    """`what` failed, in one line, and what can be done about it."""

    what: Text
    action: Text


_ASK_AGAIN = Text("可以把问题再发一次。", "You can send the question again.")
_ASK_LATER = Text(
    "请过几分钟再发一次；如果反复出现，请告诉维护人员。",
    "Send the question again in a few minutes; if this repeats, tell the operator.",
)

_NOT_YET_ZH, _NOT_YET_EN = "这个问题还没有回答：", "This question is not answered yet: "


def _failed(zh: str, en: str, action: Text) -> FailedText:
    return FailedText(Text(f"{_NOT_YET_ZH}{zh}", f"{_NOT_YET_EN}{en}"), action)


FAILED: Mapping[TurnCode, FailedText] = {
    TurnCode.AUTH_REQUIRED: _failed(
        "背后的服务需要重新登录。",
        "the service behind it has to be signed in again.",
        Text(
            "请让维护人员重新登录，然后再问一次。",
            "Tell the operator to sign it in, then ask again.",
        ),
    ),
    TurnCode.SESSION_UNAVAILABLE: _failed(
        "原来的对话进程接不上了。",
        "the running conversation behind it could not be taken up again.",
        _ASK_AGAIN,
    ),
    TurnCode.CAPABILITY_MISSING: _failed(
        "背后的服务缺少需要的功能。",
        "the service behind it lacks something that is needed.",
        Text(
            "请让维护人员更新它，然后再问一次。",
            "Tell the operator to update it, then ask again.",
        ),
    ),
    TurnCode.IDLE_TIMEOUT: _failed(
        "回答做到一半没有了动静，已经停下。",
        "the work on it fell silent and was stopped.",
        _ASK_AGAIN,
    ),
    TurnCode.TRANSPORT_LOST: _failed(
        "与背后服务的连接中断了。",
        "the connection to the service behind it broke off.",
        _ASK_AGAIN,
    ),
    TurnCode.OVERLOADED: _failed(
        "背后的服务现在太忙。", "the service behind it is too busy now.", _ASK_LATER
    ),
    TurnCode.PROVIDER_RATE_LIMITED: _failed(
        "背后的服务限制了请求次数，等了一会儿也没有轮到。",
        "the service behind it limits how often it may be asked, and waiting did not help.",
        _ASK_LATER,
    ),
    TurnCode.QUOTA_EXHAUSTED: _failed(
        "背后的服务额度用完了。",
        "the quota of the service behind it is used up.",
        Text(
            "等额度恢复后再问一次，或者请维护人员补充额度。",
            "Ask again once there is quota, or ask the operator for more.",
        ),
    ),
    TurnCode.CONTEXT_WINDOW_EXCEEDED: _failed(
        "要读的内容太长，一次处理不了。",
        "there is more to read than can be taken in at once.",
        Text(
            "发 /新会话 重新开始，再问得具体一些，比如只问一个目标。",
            "Send /new to begin anew, then ask for less, such as a single goal.",
        ),
    ),
    TurnCode.CONTENT_POLICY: _failed(
        "背后的服务有内容规则，不回答这样的提问。",
        "the rules of the service behind it do not allow this question.",
        Text("请换个说法再问。", "Please ask in other words."),
    ),
    TurnCode.RESULT_MISSING: _failed(
        "背后的服务做完了，却没有给出回答。",
        "the service behind it ended without an answer.",
        _ASK_AGAIN,
    ),
    TurnCode.RESULT_TRUNCATED: _failed(
        "得到的回答不完整，没有采用。",
        "the answer came cut short and was not used.",
        Text(
            "可以再发一次，或者只问一个目标。",
            "You can send the question again, or ask about a single goal.",
        ),
    ),
    TurnCode.STOPPED: FailedText(
        Text("这个问题已按要求停下，不再回答。", "This question was stopped and is not answered."),
        Text("如果仍想知道，请重新提问。", "Ask anew if you still want to know."),
    ),
    TurnCode.DIRECTORY_UNAVAILABLE: FailedText(
        Text(
            "这个问题还没有回答：平台没有说明这个会话里有谁能看到回答。",
            "This question is not answered yet: the platform did not say who would see the answer.",
        ),
        _ASK_LATER,
    ),
    TurnCode.STORE_UNAVAILABLE: FailedText(
        Text(
            "这个问题还没有回答：我自己的记录暂时无法读写。",
            "This question is not answered yet: my own records cannot be read or written now.",
        ),
        _ASK_LATER,
    ),
    TurnCode.CONTEXT_FAILURE: FailedText(
        Text(
            "这个问题还没有回答：无法确认这里可以读取哪些来源。",
            "This question is not answered yet: which sources may be read here could not be established.",
        ),
        _ASK_LATER,
    ),
    TurnCode.EXECUTOR_TIMEOUT: FailedText(
        Text(
            "这个问题还没有回答：没能在规定时间内完成。",
            "This question is not answered yet: it took longer than it may.",
        ),
        Text(
            "可以再发一次，或者只问一个目标。",
            "You can send the question again, or ask about a single goal.",
        ),
    ),
    TurnCode.RESULT_INVALID: FailedText(
        Text(
            "这个问题还没有回答：得到的结果没有通过检查，没有采用。",
            "This question is not answered yet: the result failed its checks and was not used.",
        ),
        _ASK_AGAIN,
    ),
    TurnCode.INTERRUPTED: FailedText(
        Text(
            "这个问题还没有回答：回答的过程被中断了。",
            "This question is not answered yet: the work on it was interrupted.",
        ),
        _ASK_AGAIN,
    ),
    TurnCode.WITHDRAWN: FailedText(
        Text("这个问题已被撤回，不再回答。", "This question was withdrawn and is not answered."),
        Text("如果仍想知道，请重新提问。", "Ask anew if you still want to know."),
    ),
    TurnCode.AUTHORIZATION_CHANGED: FailedText(
        Text(
            "这个问题还没有回答：期间这里的可读范围变了，读到的内容已舍弃。",
            "This question is not answered yet: what may be read here changed meanwhile, so what was read is dropped.",
        ),
        Text(
            "再发一次，会按现在的权限读取。",
            "Send it again; the next read follows the present permission.",
        ),
    ),
    TurnCode.PROFILE_CHANGED: FailedText(
        Text(
            "这个问题还没有回答：期间我的运行方式或所有者变了，正在做的已停下，没有采用。",
            "This question is not answered yet: how I run, or who my owner is, changed meanwhile, "
            "so the work on it was stopped and not used.",
        ),
        Text(
            "再发一次，会按现在的设置回答。",
            "Send it again; it is then answered under the present settings.",
        ),
    ),
    TurnCode.ENDPOINT_UNSUPPORTED: FailedText(
        Text(
            "这个问题还没有回答：现在的回答程序不支持设定的运行方式。",
            "This question is not answered yet: the endpoint in use cannot run the way that is set.",
        ),
        Text(
            "请改用 Codex，或把运行方式改回受限模式。",
            "Select the Codex endpoint or change the manager runtime to restricted.",
        ),
    ),
    TurnCode.READBACK_MISMATCH: FailedText(
        Text(
            "这个问题还没有回答：回答它的进程没有按要求的限制启动，因此没有使用。",
            "This question is not answered yet: what should answer it did not start within its limits and was not used.",
        ),
        _ASK_LATER,
    ),
    TurnCode.UNCLASSIFIED: FailedText(
        Text(
            "这个问题还没有回答：程序内部出了问题。",
            "This question is not answered yet: something went wrong inside the program.",
        ),
        _ASK_LATER,
    ),
}

_ASK_FOR_EVIDENCE = Text(
    "把问题再发一次，就能看到现在可以看的内容。",
    "Send the question again to see what may be shown now.",
)
EVIDENCE_CHANGED = FailedText(
    Text(
        "依据没有显示：期间这里的可读范围变了。",
        "The evidence is not shown: what may be read here changed meanwhile.",
    ),
    _ASK_FOR_EVIDENCE,
)
EVIDENCE_UNCLEAR = FailedText(
    Text(
        "依据没有显示：暂时无法确认这里可以看到什么。",
        "The evidence is not shown: what may be seen here could not be established.",
    ),
    _ASK_FOR_EVIDENCE,
)
_SEND_AGAIN = Text("把命令再发一次就好。", "Send the command again.")
REPLY_CHANGED = FailedText(
    Text(
        "这条回复没有显示：期间这里的可读范围变了。",
        "This reply is not shown: what may be read here changed meanwhile.",
    ),
    _SEND_AGAIN,
)
REPLY_UNCLEAR = FailedText(
    Text(
        "这条回复没有显示：暂时无法确认这里可以看到什么。",
        "This reply is not shown: what may be seen here could not be established.",
    ),
    _SEND_AGAIN,
)

REASON = Text("原因：{reason}。", "Reason: {reason}.")
STAYS_OWED = Text(
    "它会一直列为待回答，不会自动重新执行。",
    "It stays on record as owed; nothing is run again by itself.",
)
HOST_HAD_RUN = Text(
    "停下之前，主机上已经运行过：{what}。这些不会撤销。",
    "Before that the host had already run: {what}. None of it is undone.",
)
HOST_MORE = Text("等共 {count} 项", "and more, {count} in all")
ASKING_AGAIN_REPEATS = Text(
    "这个问题上次回答到一半，主机上可能已经做了一些事。再问一次，这些事可能会重做一遍。",
    "The last try at this question may have done something on the host already. "
    "Asking again may do it a second time.",
)
WHAT_WAS_READ = Text(
    "中断前读到的内容（这不是回答）：", "What was read before that (this is not an answer):"
)

DECLINED: Mapping[DeclineReason, FailedText] = {
    DeclineReason.NOT_GRANTED: FailedText(
        Text(
            "我还没有获准在这里读取任何来源，暂时回答不了。",
            "I cannot answer here yet: I may not read any source for this chat.",
        ),
        Text("请联系这个机器人的所有者授权。", "The owner of this bot can grant it."),
    ),
    DeclineReason.CONTENT_UNREADABLE: FailedText(
        Text(
            "我只能读文字消息，这一条读不了。",
            "I can only read text, so I cannot read this message.",
        ),
        Text("请用文字提问。", "Please ask in words."),
    ),
    DeclineReason.EMPTY_QUESTION: FailedText(
        Text("这条消息里没有提问内容。", "There is no question in this message."),
        Text(
            "请把想了解的事写在同一条消息里，例如“支付网关进展如何？”",
            "Write what you want to know in the same message, such as “How is the payment gateway going?”",
        ),
    ),
    DeclineReason.ASKER_LIMIT: FailedText(
        Text(
            "你还有 {asker} 个问题没答完，同时最多 {asker} 个，所以这一条没有收下。",
            "You have {asker} open questions already, which is the limit, so this one was not taken.",
        ),
        Text("等前面的答完再发一次就好。", "Send it again once one of them is answered."),
    ),
    DeclineReason.CONVERSATION_LIMIT: FailedText(
        Text(
            "这个会话里还有 {conversation} 个问题没答完，同时最多 {conversation} 个，所以这一条没有收下。",
            "This conversation has {conversation} open questions already, which is the limit, "
            "so this one was not taken.",
        ),
        Text("过一会儿再发一次就好。", "Send it again in a little while."),
    ),
}

UNPARSABLE = Text(
    "有一条消息我没能读懂，已原样保存，没有处理。",
    "A message could not be understood; it is kept as it came, and nothing was done.",
)
UNPARSABLE_ACTION = Text("请用文字再发一次。", "Please send it again in words.")
