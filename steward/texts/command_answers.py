"""What the steward says of itself when it is told a command: lines of help, status, sources, owed, chats, audit."""

from collections.abc import Mapping

from steward.model.audience import AudienceKind
from steward.model.audit import AuditAct
from steward.model.profile import ProfileStatus, RuntimeProfile
from steward.model.turn import TurnCode
from steward.texts.catalogue import Text
from steward.texts.profile import NAMES as PROFILE_NAMES

LINE = Text("{title}：{what}", "{title}: {what}")
COMMAND_LINE = Text("{command} - {purpose}", "{command} - {purpose}")
ITEM = Text("- {text}", "- {text}")
PIECES = Text(" · ", " · ")
THEN = Text("；", "; ")
BECAUSE = Text("：{reason}", ": {reason}")

# /help
HELP = Text("直接问我工作进展就行", "Just ask me how work is going")
EXAMPLES = Text("比如这样问：", "For example:")
EXAMPLE = (
    Text("支付网关怎么样了？", "How is the payment gateway going?"),
    Text("有什么卡住了？", "What is blocked?"),
    Text("这周交付了什么？", "What was delivered this week?"),
)
HELP_EVIDENCE = Text(
    "我只根据读到的记录回答，读不到的会直说。",
    "I answer only from records that I have read, and say what I could not read.",
)
HELP_MENTION = Text(
    "在群里要先 @ 我，或者回复我的消息。",
    "In a group, mention me first, or reply to a message of mine.",
)
COMMANDS_HERE = Text("这里能用的命令：", "Commands that work here:")

# /status
IDLE = Text("现在空闲，没有排队的问题", "Idle: no question is waiting")
BUSY = Text(
    "正在回答 {running} 个问题，排队 {queued} 个",
    "Questions being answered: {running}, waiting: {queued}",
)
TODAY = Text(
    "今天这里：提问 {asked} 个，已回答 {answered} 个",
    "Here today: {asked} asked, {answered} answered",
)
OWED_HERE = Text("这里还没答上来的：{count} 个", "Still unanswered here: {count}")
READABLE_HERE = Text("这里能读的来源：", "Sources that can be read here:")
NO_SOURCES = Text("这里没有可读的来源", "There is no source to read here")
SESSION = Text("运行方式：{profile}", "How I run: {profile}")
STORED = Text("保存的设置：{profile}", "Setting as stored: {profile}")
NOTHING_STORED = Text("没有保存过，按受限运行", "nothing is stored, so restricted")
UNREADABLE_STORED = Text("读不懂，按受限运行", "cannot be read, so restricted")
ENDPOINT = Text("回答程序：{endpoint}", "Endpoint: {endpoint}")
EVERYWHERE = Text(
    "所有会话：正在回答 {running} 个，排队 {queued} 个，没答上来 {owed} 个",
    "In all chats: {running} being answered, {queued} waiting, {owed} unanswered",
)
PROFILES: Mapping[RuntimeProfile, Text] = PROFILE_NAMES
UNSUPPORTED = Text(
    "现在的回答程序不支持保存的设置，提问会一直待回答：请改用 Codex，或改回受限模式",
    "the endpoint in use cannot hold the stored setting, so questions stay owed: select Codex, or change it to restricted",
)
WHY: Mapping[ProfileStatus, Text] = {
    ProfileStatus.SIMULATED_RESTRICTED: Text(
        "平台是模拟的，所以受限", "the platform is a simulated one, hence restricted"
    ),
    ProfileStatus.EXTERNAL_AUDIENCE_RESTRICTED: Text(
        "这里还有别人，所以受限", "others see this chat, hence restricted"
    ),
}

# /sources
SOURCES = Text("{count} 个来源，现在读得到 {read} 个", "Sources: {count}, readable now: {read}")
READABLE = Text("读得到", "readable")
READABLE_AS_OF = Text("读得到，数据截至 {moment}", "readable, as of {moment}")
STALE = Text("内容过旧，数据截至 {moment}", "out of date, as of {moment}")
STALE_UNDATED = Text("内容过旧，时间不详", "out of date, age unknown")
UNREADABLE = Text("未读到证据（{reason}）", "no evidence read ({reason})")
LAST_READ = Text("上次读到：{moment}", "last read: {moment}")
NEVER_READ = Text("启动以来还没有读到过", "not read since I was started")
STALE_ACTION = Text("请负责人更新内容。", "Whoever keeps it should bring it up to date.")
NEXT_STEP = Text("{state}。{action}", "{state}. {action}")
ZONE = Text("时间按 {zone}", "Times are in {zone}")

# /whoami
WHO = Text("你的 open_id：{id}", "Your open_id: {id}")
OUR_TENANT = Text("你和我属于同一个企业", "You and I belong to the same organisation")
OTHER_TENANT = Text("你来自另一个企业", "You are from another organisation")
PLACES: Mapping[AudienceKind, Text] = {
    AudienceKind.OWNER_PRIVATE: Text(
        "这里是所有者与我的私聊", "This is the owner's private chat with me"
    ),
    AudienceKind.MEMBER_PRIVATE: Text("这里是你与我的私聊", "This is your private chat with me"),
    AudienceKind.GROUP: Text(
        "这里是企业内部的群：群里每个人都看得到回答",
        "This is a group of the organisation: everyone in it sees the answers",
    ),
    AudienceKind.EXTERNAL: Text(
        "这里有企业外部的人", "There are people from outside the organisation here"
    ),
}
NAMES = Text("记录里用来称呼你的名字：{names}", "The records call you: {names}")
NO_NAMES = Text("还不知道记录里怎么称呼你", "I do not know yet what the records call you")
HOW_TO_NAME = Text("发“{command} 名字”告诉我", "tell me with “{command} NAME”")

# /new, /stop
RENEWED = Text(
    "好，从现在起是新的会话，之前说过的不再参考。",
    "From now on this is a new conversation; nothing said before is used.",
)
STOPPED = Text(
    "已叫停还没答完的 {count} 个问题。",
    "Told to stop, questions that were not answered yet: {count}.",
)
STOPPED_NOTE = Text(
    "已经发出的内容收不回来；想知道可以重新提问。",
    "What was sent already stays; ask again if you still want to know.",
)
NOTHING_TO_STOP = Text(
    "没有正在回答或排队的问题。刚发来、还没开始处理的，也不会再回答。",
    "No question is being answered or waiting. What was sent just before and not looked at yet is not answered either.",
)

# /owed
NOTHING_OWED = Text("没有待回答的问题。", "No question is left unanswered.")
OWED = Text("还没答上来的问题：{count} 个", "Questions still unanswered: {count}")
OWED_LINE = Text("{asked} 提问（{age}前）", "asked {asked} ({age} ago)")
OWED_NEXT = Text(
    "它们不会自动重新执行，可以把问题再发一次。",
    "Nothing is run again by itself; a question can be sent again.",
)
MORE = Text("还有 {count} 条没有列出", "+{count} more, not listed")
UNDELIVERED = Text("已回答，但消息没能送达", "answered, but the message could not be delivered")
OWED_REASONS: Mapping[TurnCode, Text] = {
    TurnCode.DIRECTORY_UNAVAILABLE: Text(
        "平台没有说明会话里有谁", "the platform did not say who is in the chat"
    ),
    TurnCode.STORE_UNAVAILABLE: Text(
        "我的记录当时无法读写", "my own records could not be read or written"
    ),
    TurnCode.CONTEXT_FAILURE: Text(
        "无法确认可以读哪些来源", "which sources may be read could not be established"
    ),
    TurnCode.EXECUTOR_TIMEOUT: Text("没能按时完成", "it took longer than it may"),
    TurnCode.IDLE_TIMEOUT: Text("做到一半没有了动静", "the work on it fell silent"),
    TurnCode.AUTH_REQUIRED: Text(
        "背后的服务需要重新登录", "the service behind it has to be signed in again"
    ),
    TurnCode.SESSION_UNAVAILABLE: Text(
        "原来的对话进程接不上了", "the running conversation behind it could not be taken up again"
    ),
    TurnCode.CAPABILITY_MISSING: Text(
        "背后的服务缺少需要的功能", "the service behind it lacks something that is needed"
    ),
    TurnCode.TRANSPORT_LOST: Text(
        "与背后服务的连接中断了", "the connection to the service behind it broke off"
    ),
    TurnCode.OVERLOADED: Text("背后的服务太忙", "the service behind it was too busy"),
    TurnCode.PROVIDER_RATE_LIMITED: Text(
        "背后的服务限制了请求次数", "the service behind it limits how often it may be asked"
    ),
    TurnCode.QUOTA_EXHAUSTED: Text(
        "背后的服务额度用完了", "the quota of the service behind it was used up"
    ),
    TurnCode.CONTEXT_WINDOW_EXCEEDED: Text(
        "要读的内容太长", "there was more to read than can be taken in at once"
    ),
    TurnCode.CONTENT_POLICY: Text(
        "背后的服务不回答这样的提问", "the rules of the service behind it do not allow it"
    ),
    TurnCode.RESULT_MISSING: Text("没有给出回答", "the service behind it gave no answer"),
    TurnCode.RESULT_TRUNCATED: Text("得到的回答不完整", "the answer came cut short"),
    TurnCode.RESULT_INVALID: Text("结果没有通过检查", "the result failed its checks"),
    TurnCode.INTERRUPTED: Text("过程被中断", "the work on it was interrupted"),
    TurnCode.AUTHORIZATION_CHANGED: Text("期间可读范围变了", "what may be read changed meanwhile"),
    TurnCode.PROFILE_CHANGED: Text("期间运行方式变了", "how I run changed meanwhile"),
    TurnCode.ENDPOINT_UNSUPPORTED: Text(
        "回答程序不支持保存的设置", "the endpoint in use cannot hold the stored setting"
    ),
    TurnCode.READBACK_MISMATCH: Text(
        "回答程序没有按限制启动", "the endpoint in use did not start within its limits"
    ),
}
OTHER_REASON = Text("程序内部出了问题", "something went wrong inside the program")
MINUTES = Text("{count} 分钟", "{count} min")
HOURS = Text("{count} 小时", "{count} h")
DAYS = Text("{count} 天", "{count} d")

# A chat, by what the owner knows it by.
CHAT = Text("{title}（{id}）", "{title} ({id})")
PRIVATE = Text("私聊", "a private chat")
UNTITLED = Text("没有名称的会话", "a chat without a title")
EXTERNAL = Text("外部", "external")
MAYBE_EXTERNAL = Text("内外部不明", "perhaps external")

# /chats
CHATS = Text("我知道的群：{count} 个", "Chats that I know: {count}")
NO_CHATS = Text("还没有把我拉进任何群。", "I have not been added to any chat yet.")
LEFT = Text("我已不在里面", "I am no longer in it")
NOT_GRANTED = Text("没有授权", "nothing granted")
GRANTED = Text("可读 {sources}（{goals}）", "may read {sources} ({goals})")
ALL_GOALS = Text("全部目标", "all goals")
SOME_GOALS = Text("{count} 个目标", "goals: {count}")
OTHER_AUDIENCES: Mapping[str, Text] = {
    "owner": Text("所有者私聊", "The owner's private chat"),
    "members": Text("成员私聊", "Members' private chats"),
}
ELSEWHERE = Text("另有授权的会话 {id}", "A chat with a grant, {id}")
VOID = Text(
    "与这个群现在的内外部不符，不起作用",
    "of no effect: whether this chat is external is not as the grant says",
)

# /audit
AUDIT = Text("最近的 {count} 条操作记录", "The last acts on record: {count}")
NO_AUDIT = Text("还没有操作记录。", "Nothing is on record yet.")
NOT_IN_AUDIT = Text(
    "送达和读取没有列在这里；在命令行运行 steward audit 可以看到全部。",
    "Deliveries and reads are not listed here; steward audit on the command line shows all.",
)
AUDIT_LINE = Text("{moment} {act} - {who}", "{moment} {act} - {who}")
BY_OPERATOR = Text("命令行", "the command line")
BY_STEWARD = Text("我自己", "myself")
IN_CHAT = Text("在 {id}", "in {id}")
ABOUT = Text("对象 {what}", "for {what}")
ACTS: Mapping[AuditAct, Text] = {
    AuditAct.ADMITTED: Text("收下提问", "took a question"),
    AuditAct.REFUSED: Text("拒绝", "refused"),
    AuditAct.COMMAND: Text("命令", "command"),
    AuditAct.PRESSED: Text("按了按钮", "pressed a button"),
    AuditAct.GRANTED: Text("授权", "granted"),
    AuditAct.REVOKED: Text("撤销授权", "took a grant back"),
    AuditAct.PROFILE_APPLIED: Text("更改运行方式", "changed how I run"),
    AuditAct.OWNER_CHANGED: Text("确定所有者", "set who is the owner"),
    AuditAct.TENANT_PINNED: Text("认定所属企业", "fixed the organisation"),
    AuditAct.NAMES_CLAIMED: Text("提出称呼", "claimed names"),
    AuditAct.NAMES_APPROVED: Text("确认称呼", "approved names"),
    AuditAct.SESSION_ROTATED: Text("换了新会话", "rotated a session"),
    AuditAct.SESSION_RENEWED: Text("重新开始会话", "started a conversation afresh"),
    AuditAct.STOPPED: Text("叫停", "stopped questions"),
    AuditAct.READ: Text("读取", "read"),
    AuditAct.DELIVERED: Text("送达", "delivered"),
    AuditAct.UNDELIVERED: Text("没能送达", "could not deliver"),
    AuditAct.WITHHELD: Text("扣下回答", "withheld an answer"),
    AuditAct.RESTORED: Text("从备份恢复", "restored a backup"),
}

# What is no command here.
UNKNOWN = Text("没有这个命令。", "There is no such command.")
UNKNOWN_ACTION = Text(
    "发 /帮助 看看能用什么；想提问，请不要以“/”开头。",
    "Send /help for what there is; to ask a question, do not begin it with “/”.",
)
NOT_HERE = Text(
    "这里有企业外部的人，不能用这个命令。",
    "People from outside the organisation are here, so this command does not work.",
)
NOT_DONE = Text(
    "这个命令没有执行：平台没有说明这个会话里有谁能看到回答。",
    "This command was not carried out: the platform did not say who would see the answer.",
)
NOT_DONE_ACTION = Text("请过几分钟再发一次。", "Send it again in a few minutes.")

# Toasts.
PRESSED = Text(
    "好，结果会发在这张卡片下面的回复里。", "Noted. The result follows in a reply to this card."
)
PRESSED_BEFORE = Text(
    "这个按钮已经按过了，结果在这张卡片下面的回复里；想再看一次，可以直接发命令。",
    "You pressed this before; the result is among the replies to this card. To see it anew, send the command.",
)
