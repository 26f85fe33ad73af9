"""Sentences of answers: what the reporter says, and what code writes in place of a claim (W1, R3).

Read by the reporter, the answer rules and presentation. Pieces are joined by them; a date is always absolute.
"""

from collections.abc import Mapping

from steward.model.reading import RowStatus, View
from steward.texts.catalogue import Text

ALL_GOALS = Text("全部目标", "All goals")
ACTIVE_GOALS = Text("推进中的全部目标", "All active goals")
GOALS_READ = Text("读到的推进中目标", "Active goals that were read")

VIEWS: Mapping[View, Text] = {
    View.SOURCES: Text("来源", "sources"),
    View.PORTFOLIO: Text("目标", "goals"),
    View.TODOS: Text("待办", "todos"),
    View.DELIVERIES: Text("交付", "deliveries"),
    View.HANDOFFS: Text("交接", "handoffs"),
}

STATUSES: Mapping[RowStatus, Text] = {
    RowStatus.ACTIVE: Text("推进中", "active"),
    RowStatus.STOPPED: Text("已停止", "stopped"),
    RowStatus.OPEN: Text("待处理", "open"),
    RowStatus.DOING: Text("进行中", "in progress"),
    RowStatus.BLOCKED: Text("受阻", "blocked"),
    RowStatus.DONE: Text("已完成", "done"),
    RowStatus.DELIVERED: Text("已交付", "delivered"),
    RowStatus.ACCEPTED: Text("已接收", "accepted"),
    RowStatus.RETURNED: Text("已退回", "returned"),
    RowStatus.UNKNOWN: Text("状态不明", "unclear"),
}

# Counts: the direct line of an answer.
TALLY = Text("{status} {count} 项", "{count} {status}")
TALLY_LINE = Text("{subject}：{tallies}", "{subject}: {tallies}")
DELIVERED = Text("{window} 交付 {count} 项", "Delivered from {window}: {count}")
GOALS = Text("推进中的目标 {count} 个", "Active goals: {count}")
GOALS_SO_FAR = Text("读到推进中的目标 {count} 个", "Active goals that were read: {count}")
COMMA = Text("，", ", ")
LISTED = Text("、", ", ")
NEXT = Text("；", "; ")

# What is left of a group of which the first rows are shown.
MORE_BLOCKED = Text("受阻的还有 {count} 项", "+{count} more blocked")
MORE_OVERDUE = Text("已过期限的还有 {count} 项", "+{count} more overdue")
MORE_DUE = Text("{date} 或之前到期的还有 {count} 项", "+{count} more due by {date}")
MORE_DELIVERED = Text("交付还有 {count} 项", "+{count} more delivered")
MORE_UNCLEAR = Text("状态不明的还有 {count} 项", "+{count} more unclear")
MORE_HANDOFFS = Text("待处理的交接还有 {count} 项", "+{count} more open handoffs")
MORE_GOALS = Text("推进中的目标还有 {count} 个", "+{count} more active goals")

# One row, in the order title - owner - state; the pieces are joined by " - ".
STATE_SINCE = Text("自 {date} 起{status}", "{status} since {date}")
STATE_UPDATED = Text("{status}，更新于 {date}", "{status}, updated {date}")
STATE_ON = Text("{date} {status}", "{status} {date}")
UNMAPPED = Text("状态不明（原文“{raw}”）", "unclear (written as “{raw}”)")
DUE = Text("期限 {date}", "due {date}")
TARGET = Text("目标日期 {date}", "target {date}")
BECAUSE = Text("原因：{reason}", "reason: {reason}")
WAITING_ON = Text("在等 {who}", "waiting on {who}")
HANDED = Text("{sender} 交给 {receiver}", "{sender} to {receiver}")
OF_GOAL = Text("{goal}：{row}", "{goal}: {row}")
OVERDUE = Text("{row} - 已过期限", "{row} - overdue")
AHEAD = Text("时间晚于当前", "its time lies ahead of now")
NAMED_BY = Text("{row} - 标识 {id}", "{row} - id {id}")

# Two goals alike.
WHICH_GOAL = Text(
    "有 {count} 个目标都对得上，你问的是哪一个？", "{count} goals match. Which one do you mean?"
)
MORE_MATCHES = Text("还有 {count} 个同样对得上", "{count} more match as well")

# Rows in place of a claim that they do not support (R5, R6).
MORE_ROWS = Text("还有 {count} 项", "+{count} more")

# Absence (R3). A subject is what is absent, such as "Payment gateway, blocked todos".
UNSCOPED = Text("所问的内容", "What was asked")
GOAL_NAME = Text("“{goal}”", "{goal}")
SUBJECT_OF = Text("{whose}的{what}", "{whose}, {what}")
IN_STATUS = Text("{status}{what}", "{status} {what}")
STATUS_OR = Text("或", " or ")
DUE_WITHIN = Text("{window} 到期的{what}", "{what} due {window}")
DUE_BEFORE = Text("{date} 前到期的{what}", "{what} due before {date}")
DUE_FROM = Text("{date} 起到期的{what}", "{what} due from {date}")
NOTHING_RECORDED = Text(
    "{subject}：在 {sources} 中，{window}，没有记录",
    "{subject}: in {sources}, {window}, nothing is recorded",
)
NOTHING_AT_ALL = Text(
    "{subject}：在 {sources} 中，没有记录", "{subject}: in {sources}, nothing is recorded"
)
WINDOW = Text("{start} 至 {end}", "{start} to {end}")
BEFORE = Text("{date} 之前", "before {date}")
UP_TO = Text("截至 {moment}", "as of {moment}")
NOT_ESTABLISHED = Text(
    "{subjects}：不能确认有没有，未读到证据：{gaps}",
    "{subjects}: not established, no evidence read: {gaps}",
)
NO_EVIDENCE = Text("未读到证据：{gaps}", "No evidence read: {gaps}")
NOTHING_HOLDS = Text("没有可读的来源", "no source can be read for this")
NOTHING_SUPPORTED = Text(
    "未读到证据：没有读到可以作为依据的记录",
    "No evidence read: no record was read that an answer could rest on",
)

# A claim that rests on an old reading (R9).
AGED = Text("{text}（数据截至 {moment}）", "{text} (as of {moment})")
