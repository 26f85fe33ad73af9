"""The runtime profile as its owner reads it: what holds, what a change does, and what became of one (P3, P5, P6, P8)."""

from collections.abc import Mapping

from steward.model.machine import PlanAction
from steward.model.profile import ProfileStatus, RuntimeProfile
from steward.texts.catalogue import Text

REPAIR = Text(
    zh="预览并批准一个运行方式，就会替换掉读不懂的内容：私聊里发“/模式 restricted”，"
    "或在命令行运行 steward profile preview restricted。",
    en="Preview and apply a profile, which replaces what cannot be read: send “/profile restricted” in private, "
    "or run steward profile preview restricted.",
)

NAMES: Mapping[RuntimeProfile, Text] = {
    RuntimeProfile.RESTRICTED: Text("受限模式（只读取记录）", "restricted (reads evidence only)"),
    RuntimeProfile.TRUSTED_OWNER: Text(
        "所有者模式（私聊里可用本机工具）", "trusted owner (this machine's tools, in private)"
    ),
}
NOT_STORED = Text("没有设置", "nothing is set")
NOT_READABLE = Text("设置的内容读不懂", "what is set cannot be read")
NO_PROFILE = Text("这里暂时无法回答问题", "questions cannot be answered here")

# ---------------------------------------------------------------- what holds

HOLDS = Text("现在的运行方式：{profile}。", "How I run now: {profile}.")
STORED = Text("已保存的设置：{stored}。", "What is set: {stored}.")

STATUSES: Mapping[ProfileStatus, Text] = {
    ProfileStatus.READY: Text("设置已生效。", "The setting is in force."),
    ProfileStatus.ENDPOINT_UNSUPPORTED: Text(
        "现在的回答程序不支持这种运行方式，所以这里的问题会一直待回答。请改用 Codex，或改回受限模式。",
        "The endpoint in use cannot hold it, so questions here stay owed. "
        "Select the Codex endpoint or change the manager runtime to restricted.",
    ),
    ProfileStatus.SIMULATED_RESTRICTED: Text(
        "这是模拟平台，一律按受限模式运行。",
        "This platform is simulated, so everything runs restricted.",
    ),
    ProfileStatus.EXTERNAL_AUDIENCE_RESTRICTED: Text(
        "它只在所有者的私聊里生效，这里按受限模式运行。",
        "It holds in the owner's private chat alone; here I run restricted.",
    ),
    ProfileStatus.CONFIGURATION_INVALID: Text(
        "读不懂设置的内容，所以先按受限模式运行。",
        "What is set cannot be read, so I run restricted until it is mended.",
    ),
}

# ---------------------------------------------------------------- what a change does

PREVIEW = Text("预览：运行方式改为{desired}", "Preview: run as {desired}")
NOTHING_TO_DO = Text(
    "运行方式已经设为{desired}，不需要更改。",
    "It is set to {desired} already; there is nothing to change.",
)
ACTIONS: Mapping[PlanAction, Text] = {
    PlanAction.NONE: Text("不会写入任何内容。", "Nothing would be written."),
    PlanAction.CREATE: Text(
        "现在没有设置，按受限模式运行。", "Nothing is set at present, so I run restricted."
    ),
    PlanAction.UPDATE: Text("会替换现在的设置。", "It replaces what is set at present."),
    PlanAction.REPAIR: Text(
        "现在的内容读不懂，会整个替换；原来的内容留在记录里。",
        "What is set cannot be read; it is replaced, and the old content is kept on record.",
    ),
}

OPENS = Text(
    "之后，在你和我的私聊里，我可以使用这台机器的文件、命令行、git、网络和已配置的连接。其他地方不变，仍然只读取记录。",
    "In your private chat with me I may then use this machine: files, shell, git, the web, and configured connectors. "
    "Everywhere else I go on reading evidence only.",
)
CLOSES = Text(
    "之后，我在任何地方都只读取记录；正在使用本机工具的回答会立刻停下。",
    "I then read evidence only, everywhere; any answer that is using this machine's tools stops at once.",
)
ROTATES = Text(
    "之后各个会话里再提问时，会另起一个内部会话，看得到的对话会带过去。",
    "The next question of each chat starts a new session; the visible conversation goes with it.",
)
UNSUPPORTED = Text(
    "注意：现在的回答程序不支持这种运行方式。批准之后，你私聊里的问题会一直待回答，直到改用 Codex 或改回受限模式；命令仍然可用。",
    "Note: the endpoint in use cannot hold this. Once applied, your questions in private stay owed until you select the "
    "Codex endpoint or change the manager runtime to restricted. Commands still work.",
)
SIMULATED = Text(
    "注意：这是模拟平台，批准之后仍然按受限模式运行。",
    "Note: this platform is simulated, so I still run restricted once it is applied.",
)
LIMITS = Text(
    "合并、发布、部署、删除和付款都不包括在内，要另走各自的流程。",
    "Merge, release, deploy, delete and payment are not covered; each keeps its own procedure.",
)
SEPARATED = Text(
    "使用本机工具的程序有单独的系统用户。",
    "The process with these tools runs under a user of its own.",
)
NOT_SEPARATED = Text(
    "使用本机工具的程序没有单独的系统用户：本服务能读写的，它也能读写。",
    "The process with these tools has no user of its own: it can read and write whatever this service can.",
)
NO_CREDENTIALS = Text(
    "没有发现它能拿到的外部系统凭据。",
    "No credential of other systems was found within its reach.",
)
CREDENTIALS = Text(
    "它能拿到这台机器上其他系统的凭据，因此上面这些限制只靠约定，没有技术保证。运行 steward doctor 可以查看是哪些。",
    "It can reach credentials of other systems on this machine, so the limits above rest on instruction and are not "
    "enforced. Run steward doctor to see which.",
)
OTHERS_WRITE = Text(
    "证据的内容由其他人书写，会进入一个能使用本机工具的程序。",
    "Evidence is written by other people, and it reaches a process that has this machine's tools.",
)

# ---------------------------------------------------------------- what became of one

APPLIED = Text("已保存：运行方式设为{desired}", "Done: it is set to {desired}")
READ_BACK = Text("写入后已重新读出，内容一致。", "It was read back after the write, and agrees.")
UNVERIFIED = Text(
    "写入后读出的内容不一致，请运行 steward profile show 核对。",
    "What was read back differs; run steward profile show to check.",
)
STALE = Text(
    "期间设置变了，这次没有生效。下面是新的预览。",
    "Plan revision changed; preview again. Nothing was done; here is a new preview.",
)
SUPERSEDED = Text(
    "这个预览以前已经批准过，这次什么都没有改变。",
    "This preview was applied before; nothing was changed now.",
)
STANDS = Text("那次批准之后没有再变过。", "What it set still stands.")
MOVED_ON = Text(
    "之后设置又变过。如果要再改，请重新预览。",
    "The setting has changed since then. To change it again, make a new preview.",
)

PLAN_ID = Text("预览编号：{plan}", "Plan: {plan}")
REVISIONS = Text("设置的版本：{current} → {desired}", "Revision: {current} → {desired}")
TRANSACTION = Text("记录编号：{transaction}", "Transaction: {transaction}")
