"""What the owner reads before and after an approval, and what others read about it. Contracts A2, A5, P7, P8."""

from collections.abc import Mapping

from steward.model.approval import ApprovalRefusal
from steward.texts.catalogue import Text

GRANT_PREVIEW = Text("授权预览，还没有生效", "Preview of a grant: nothing is changed yet")
REVOKE_PREVIEW = Text("撤销授权预览，还没有生效", "Preview of a revocation: nothing is changed yet")
PREVIEW_AGAIN = Text(
    "刚才那份预览已经过时，这是新的，还没有生效",
    "That preview was out of date. This is a new one",
)
SAME = Text("和现在一样，不需要改动", "Nothing to change: it is so already")
GRANTED = Text("授权已生效", "The grant is in force")
REVOKED = Text("授权已撤销", "The grants are revoked")

WHOM_GROUP = Text("群聊：{title}（{id}）", "Group: {title} ({id})")
WHOM_EXTERNAL = Text(
    "外部群：{title}（{id}）。里面可能有其他企业的人。",
    "External group: {title} ({id}). People of other organisations may be in it.",
)
WHOM_MEMBERS = Text("对象：每位成员与我的私聊", "For: every member's private chat with me")
WHOM_OWNER = Text("对象：你与我的私聊", "For: your own private chat with me")
UNTITLED = Text("无名称", "no title")

READERS = Text(
    "会看到内容的人：{count} 人，其中其他企业 {foreign} 人",
    "Who will read it: {count} in all, {foreign} of another organisation",
)
READERS_AT_LEAST = Text(
    "会看到内容的人：至少 {count} 人，其中其他企业至少 {foreign} 人",
    "Who will read it: at least {count} in all, at least {foreign} of another organisation",
)
READERS_UNKNOWN = Text("没能查到群里有哪些人。", "Who is in this group could not be looked up.")

BEFORE = Text("现在可读：{grants}", "May be read now: {grants}")
AFTER = Text("批准后可读：{grants}", "May be read once you approve: {grants}")
NOW = Text("现在可读：{grants}", "May be read from now on: {grants}")
NOTHING = Text("没有", "nothing")
EVERYTHING = Text("所有来源", "every source")
GRANT_ALL = Text("{sources}（全部目标）", "{sources} (every goal)")
GRANT_GOALS = Text("{sources}（只限目标 {goals}）", "{sources} (only the goals {goals})")
BETWEEN = Text("；", "; ")
GOALS_UNCHECKED = Text(
    "没能核对目标是否存在，这些来源暂时读不到：{sources}",
    "Whether the goals exist could not be checked; these sources cannot be read now: {sources}",
)
CLOSED = Text(
    "注意：配置里关闭了这类会话的读取，批准后也不会生效，要先改配置。",
    "Note: the configuration keeps this kind of chat closed, so the grant has no effect until that is changed.",
)

LIFE = Text(
    "按钮 15 分钟内有效，只有你能按，只能用一次。",
    "The button works for 15 minutes, for you alone, once.",
)
APPLY = Text("批准", "Apply")
APPLY_REVOKE = Text("撤销授权", "Revoke")
APPROVE_NAMES = Text("同意", "Approve")
ALLOW_ALL = Text("允许读全部来源", "Allow every source")
ALLOW_ONE = Text("允许读 {source}", "Allow {source}")

ADDED_BY_YOU = Text("你把我加进了一个群", "You added me to a group")
ADDED = Text("有人把我加进了一个群", "Somebody added me to a group")
ADDED_UNGRANTED = Text(
    "它还没有授权，我不会在那里回答。要授权就按下面的按钮；也可以不理会。",
    "It has no grant, so I answer nothing there. Press a button to grant it, or leave it as it is.",
)
ADDED_GRANTED = Text("它已经有授权：{grants}", "It has a grant already: {grants}")
ADDED_NO_SOURCE = Text(
    "还没有配置任何来源，暂时没有可以授权的内容。",
    "No source is configured, so there is nothing to grant yet.",
)
GRANT_BY_WORDS = Text("也可以发：/授权 {id} 来源 目标", "Or write: /grant {id} SOURCES GOALS")

NAMES_CLAIM = Text("有人认领名字，等你决定", "Somebody claims names: it is for you to decide")
NAMES_WHO = Text("认领人：{id}", "Who: {id}")
NAMES_WHICH = Text("名字：{names}", "Names: {names}")
NAMES_EFFECT = Text(
    "这不授予任何权限，只用来在记录里认出这个人。",
    "It grants nothing. It only tells which rows are about this person.",
)
NAMES_HELD = Text(
    "这个人现在叫：{names}。同意后以新名字为准，写在配置里的不变。",
    "Called so far: {names}. Approving replaces them, but for those in the configuration.",
)
NAMES_TAKEN = Text(
    "注意：这些名字里有的已经是别人的：{ids}。同意之后，他们的事项也会算到这个人名下。",
    "Note: others are called by one of these names already: {ids}. Once approved, their rows count as this person's too.",
)
NAMES_ASKED = Text(
    "已请机器人的所有者确认这些名字：{names}",
    "The owner of this bot was asked to confirm these names: {names}",
)
NAMES_ASKED_NEXT = Text("确认之后我会在这里告诉你。", "I will tell you here once that is done.")
NAMES_APPROVED = Text("已同意。名字：{names}", "Approved. Names: {names}")
NAMES_YOURS = Text(
    "机器人的所有者已确认，记录里的这些名字就是你：{names}",
    "The owner of this bot confirmed it: in the records you are {names}",
)

CHOOSE_ID = Text("请用其中一个编号再发一次：", "Send it again with one of these ids:")
KNOWN_CHAT = Text("{id}：{title}", "{id}: {title}")
KNOWN_EXTERNAL = Text("{id}：{title}（外部群）", "{id}: {title} (external)")
CHATS_NEXT = Text("发 /群聊 可以看到所有群和编号。", "Write /chats to see every group with its id.")
SOURCES_ARE = Text("现有来源：{sources}", "There are these sources: {sources}")
GOALS_ARE = Text("现有目标：{goals}", "There are these goals: {goals}")
MORE = Text("，另有 {count} 个", ", and {count} more")
PROFILES_ARE = Text(
    "可以是 restricted 或 trusted_owner。", "It can be restricted or trusted_owner."
)

REFUSED: Mapping[ApprovalRefusal, Text] = {
    ApprovalRefusal.NOT_PROVEN: Text(
        "平台没有证实这条消息是你发的，什么都没有改变。请直接在我们的私聊里再发一次。",
        "The platform did not bear out that you sent this message. Nothing was changed; send it again in our private chat.",
    ),
    ApprovalRefusal.NOT_VERIFIED: Text(
        "没能向平台核实这条消息，什么都没有改变。请再试一次。",
        "This message could not be verified with the platform. Nothing was changed; try again.",
    ),
    ApprovalRefusal.NOT_PERMITTED: Text(
        "这个命令在这里不能用。", "This command cannot be used here."
    ),
    ApprovalRefusal.AUDIENCE_MISSING: Text(
        "是哪个会话？请写群的编号（oc_ 开头）、members 或 owner。",
        "Which chat? Write a group's id (it begins with oc_), members, or owner.",
    ),
    ApprovalRefusal.AUDIENCE_UNKNOWN: Text(
        "没有找到这个群。请写群的编号（oc_ 开头）、members 或 owner。",
        "There is no such group. Write a group's id (it begins with oc_), members, or owner.",
    ),
    ApprovalRefusal.AUDIENCE_AMBIGUOUS: Text(
        "有几个群的编号都这样开头。", "Several groups have ids that begin so."
    ),
    ApprovalRefusal.AUDIENCE_BY_TITLE: Text(
        "群名可能重复，不能用来授权。", "Titles are not unique, so a title cannot be granted to."
    ),
    ApprovalRefusal.CHAT_FAILED: Text(
        "没能向平台查到这个群，什么都没有改变。确认我在群里之后再试一次。",
        "The platform did not tell about this group. Nothing was changed; see that I am in it, and try again.",
    ),
    ApprovalRefusal.CHAT_UNCLEAR: Text(
        "没能确认这是一个群，以及里面有没有其他企业的人，所以不能授权。",
        "That this is a group, and whether people of other organisations are in it, is not certain, so it cannot be granted.",
    ),
    ApprovalRefusal.NO_SOURCE: Text(
        "还没有配置任何来源，没有可以授权的内容。",
        "No source is configured, so there is nothing to grant.",
    ),
    ApprovalRefusal.SOURCE_UNKNOWN: Text("没有这个来源：{name}", "There is no such source: {name}"),
    ApprovalRefusal.GOAL_UNKNOWN: Text("没有这个目标：{name}", "There is no such goal: {name}"),
    ApprovalRefusal.SOURCE_AS_GOAL: Text(
        "{name} 是来源，不是目标。几个来源请用逗号连起来写，中间不留空格。",
        "{name} is a source, not a goal. Write several sources as one word, with commas between them.",
    ),
    ApprovalRefusal.PROFILE_UNKNOWN: Text(
        "没有这个运行方式：{name}", "There is no such profile: {name}"
    ),
    ApprovalRefusal.NAMES_UNUSABLE: Text(
        "请写一到五个名字，每个不超过 40 个字，例如：/我叫 林 Lin",
        "Write one to five names of at most 40 characters each, such as: /iam Lin Lindsay",
    ),
    ApprovalRefusal.CLAIMED_OFTEN: Text(
        "这一小时里提出的名字已经够多，所有者还没看完。请晚些再发。",
        "Enough names were claimed within this hour for the owner to decide on. Please send it again later.",
    ),
    ApprovalRefusal.NO_OWNER: Text(
        "这个机器人现在没有所有者，没有人能确认。请维护人员先在配置里写上所有者。",
        "This bot has no owner at present, so nobody can confirm it. Whoever operates it must name one in the configuration.",
    ),
}
"""What a refusal says, in one line; {name} is what was written."""

APPLIED = Text("已生效。", "Done; it is in force.")
APPROVED = Text("已同意。", "Approved.")
CHANGED = Text(
    "期间情况变了，这次没有生效。请看新的预览。",
    "Things changed meanwhile, so nothing was done. Look at the new preview.",
)
USED = Text(
    "这个按钮已经用过了，没有重复执行。", "This button was used before; nothing was done again."
)
EXPIRED = Text(
    "这个按钮已经过期，什么都没有改变。请再发一次命令。",
    "This button has expired, and nothing was changed. Send the command again.",
)
