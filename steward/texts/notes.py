"""What an answer says of itself, in words that no endpoint can change: notes, by their codes.

Read by the rule that writes them. A name in quotation marks is the question's own or a row's.
"""

from collections.abc import Mapping

from steward.model.answer import NoteCode
from steward.texts.catalogue import Text

NOTES: Mapping[NoteCode, Text] = {
    NoteCode.OVERVIEW: Text(
        "没有完全听懂，先给出概览；也可以问：哪些受阻、谁负责、上周交付了什么、什么逾期、还剩什么、谁在等谁。",
        "I am not sure what you asked, so this is an overview. You can also ask: what is blocked, who owns it,"
        " what was delivered last week, what is overdue, what is left, who is waiting on whom.",
    ),
    NoteCode.NO_SUCH_GOAL: Text(
        "在这里读到的内容里，没有找到叫“{name}”的目标。",
        "No goal called “{name}” was found in what was read here.",
    ),
    NoteCode.NO_SUCH_SOURCE: Text(
        "在这里可读的范围内，没有叫“{name}”的来源。",
        "There is no source called “{name}” in what may be read here.",
    ),
    NoteCode.DID_YOU_MEAN: Text(
        "没有替你选定目标；你指的可能是下面的一个。",
        "No goal was chosen for you; you may mean one of those below.",
    ),
    NoteCode.READ_AS: Text("按“{name}”理解。", "Taken to mean “{name}”."),
    NoteCode.UNMAPPED_ASKER: Text(
        "不知道记录里怎么称呼你，所以列出全部；请所有者在配置里为你加一条 [person]，写上记录里用的名字。",
        "How the records name you is not known, so all of it is listed. The owner can add a [person] entry for you"
        " with the names that the records use.",
    ),
    NoteCode.ORDER_ONLY: Text(
        "这只是按期限和优先级排的先后，不是对工作的评价。",
        "This is only an order by due date and priority, not a judgement of the work.",
    ),
    NoteCode.STATED_ONLY: Text(
        "只引用写明的日期，不做估计。", "Only dates that are stated are given; none is estimated."
    ),
    NoteCode.QUOTED_ONLY: Text(
        "只引用记录里写明的原因，不做推断。",
        "Only reasons that are written in the records are quoted; none is inferred.",
    ),
    NoteCode.SAME_COUNTS: Text(
        "每个目标按同样的几项来数，读到的范围见末行。",
        "Each goal is counted by the same measures; the last line says what was read.",
    ),
    NoteCode.UNDATED: Text(
        "有些待办没有写更新时间，看不出是否动过。",
        "Some todos state no time of update, so whether they moved cannot be seen.",
    ),
    NoteCode.AS_OF_NOW: Text(
        "记录只写现在的状态，这里说的是现在，不是当时。",
        "The records state only how things stand now, so this is as of now, not as of then.",
    ),
    NoteCode.UNRECORDED: Text(
        "读到的记录里没有提到“{name}”，它的状态不能确认。",
        "Nothing that was read mentions “{name}”, so its state is not known.",
    ),
    NoteCode.REVIEWS_UNRECORDED: Text(
        "读到的记录里看不出哪些合并请求在等评审，不能确认有没有。",
        "What was read does not record which pull requests wait for review, so whether any do is not known.",
    ),
    NoteCode.CI_UNRECORDED: Text(
        "这里的来源不记录持续集成的运行结果，它的状态不能确认。",
        "The sources here do not record CI runs, so its state is not known.",
    ),
    NoteCode.COMMITS_AS_DELIVERED: Text(
        "提交只能从来源记为交付的内容里看到。",
        "Commits are seen only where a source records them as delivered.",
    ),
    NoteCode.ACT_DECLINED: Text(
        "我只能读取，不会改动任何东西；请在原来的系统里操作，或者联系负责人。可以问我：进展、受阻、到期、还剩什么。",
        "I only read and change nothing; please do this in the system where it is kept, or ask its owner."
        " You can ask me about progress, what is blocked, what is due, what is left.",
    ),
    NoteCode.JUDGE_DECLINED: Text(
        "我不评价人。可以问：某人上周交付了什么、某人还有哪些待办。",
        "I do not judge people. You can ask what somebody delivered last week, or which todos somebody has open.",
    ),
}
"""Notes whose words are these alone. The others are put together by code, from the pieces below."""

TAKEN_OVER = Text("沿用上一个问题：{parts}", "Taken over from before: {parts}")
WINDOW = Text("时间范围：{window}（{zone}）", "Days: {window} ({zone})")
FROM = Text("{date} 起", "from {date}")
BEFORE = Text("{date} 之前", "before {date}")
SOURCES = Text(
    "这里的来源有 {count} 个，现在读得到 {read} 个", "Sources here: {count}, readable now: {read}"
)
NO_SOURCES = Text("这里没有可读的来源", "There is no source to read here")
SOURCE_READ = Text("{source}：读得到", "{source}: readable")
SOURCE_READ_AS_OF = Text(
    "{source}：读得到，数据截至 {moment}", "{source}: readable, as of {moment}"
)
SOURCE_GAP = Text("没有读到或没有读全：{gap}", "Not read, or not read whole: {gap}")
