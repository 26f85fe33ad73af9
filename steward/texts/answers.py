"""Sentences of answers: what the reporter says, and what code writes in place of a claim (W1, E3).

Read by the reporter, the answer rules and presentation. Pieces are joined by them; a date is always absolute.
"""

from collections.abc import Mapping

from steward.model.answer import RowField
from steward.model.reading import RowStatus, View
from steward.texts.catalogue import Text

ALL_GOALS = Text("全部目标", "All goals")
ACTIVE_GOALS = Text("推进中的全部目标", "All active goals")
ANY_GOALS_READ = Text("读到的目标", "Goals that were read")
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
DELIVERED_BY = Text("{who}：{window} 交付 {count} 项", "{who}, from {window}: {count} delivered")
OVERDUE_COUNT = Text("{subject}：已过期限的 {count} 项", "{subject}: {count} overdue")
DUE_COUNT = Text("{subject}：{window} 到期 {count} 项", "{subject}: {count} due from {window}")
DUE_UNTIL = Text("{subject}：{date} 前到期 {count} 项", "{subject}: {count} due before {date}")
DUE_SINCE = Text("{subject}：{date} 起到期 {count} 项", "{subject}: {count} due from {date} on")
UPDATED = Text("{window} 有更新的待办 {count} 项", "Todos updated from {window}: {count}")
NOT_MOVED = Text(
    "{subject}：最后更新早于 {date} 的未完成待办 {count} 项",
    "{subject}, unfinished todos last updated before {date}: {count}",
)
OPEN_HANDOFFS = Text("{subject}：待处理的交接 {count} 项", "{subject}, open handoffs: {count}")
HANDOFFS_OF = Text("{subject}，交接", "{subject}, handoffs")
NEW_HANDOFFS = Text("{window} 的交接 {count} 项", "Handoffs from {window}: {count}")
WAITING = Text(
    "{subject}：写明在等谁的待办 {count} 项", "{subject}, todos that say who is waited for: {count}"
)
REASONS = Text(
    "{subject}：写明原因的待办 {count} 项", "{subject}, todos with a stated reason: {count}"
)
OWNED_BY = Text("{goal}：负责人 {owner}", "{goal}: owned by {owner}")
LATEST = Text("最近一次交付（只作参考）：{row}", "Latest delivery, a weaker sign: {row}")
TARGET_OF = Text("{goal}：目标日期 {date}", "{goal}: target date {date}")
FIRST = Text("先做：{row}", "First: {row}")
THEN = Text("然后：{row}", "Then: {row}")
GOALS_BY_STATUS = Text("目标", "Goals")
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
MORE_UNFINISHED = Text("未完成的还有 {count} 项", "+{count} more unfinished")
MORE_MATCHING = Text("同类的还有 {count} 项", "+{count} more of these")
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

# Rows in place of a claim that they do not support (E5).
MORE_ROWS = Text("还有 {count} 项", "+{count} more")

# Absence (E3). A subject is what is absent, such as "Payment gateway, blocked todos".
UNSCOPED = Text("所问的内容", "What was asked")
GOAL_NAME = Text("“{goal}”", "{goal}")
SUBJECT_OF = Text("{whose}的{what}", "{whose}, {what}")
IN_STATUS = Text("{status}{what}", "{status} {what}")
UNFINISHED = Text("未完成", "unfinished")
STATUS_OR = Text("或", " or ")
DUE_WITHIN = Text("{window} 到期的{what}", "{what} due {window}")
DUE_BEFORE = Text("{date} 前到期的{what}", "{what} due before {date}")
DUE_FROM = Text("{date} 起到期的{what}", "{what} due from {date}")
UPDATED_WITHIN = Text("{window} 更新过的{what}", "{what} updated {window}")
UPDATED_BEFORE = Text("{date} 之后没有更新的{what}", "{what} last updated before {date}")
UPDATED_SINCE = Text("{date} 起更新过的{what}", "{what} updated since {date}")
TODO_DAYS: Mapping[bool, tuple[Text, Text, Text]] = {
    False: (DUE_WITHIN, DUE_BEFORE, DUE_FROM),
    True: (UPDATED_WITHIN, UPDATED_BEFORE, UPDATED_SINCE),
}
"""A window of todos: within, before, since; by the day on which they are due, or (True) were updated."""

HAVING: Mapping[RowField, Text] = {
    RowField.OWNER: Text("写明的负责人", "stated owner"),
    RowField.TARGET: Text("写明的目标日期", "stated target date"),
    RowField.DUE: Text("写明的期限", "stated due date"),
    RowField.UPDATED: Text("写明的更新时间", "stated time of update"),
    RowField.BLOCKED_BY: Text("写明的原因", "stated reason"),
    RowField.WAITING_ON: Text("写明在等谁的待办", "todos that say who is waited for"),
}
NAMING = Text("与 {names} 有关的{what}", "{what} naming {names}")
NO_ROW_NAMES = Text(
    "{subject}：在 {sources} 中，{window}，没有一行写着 {names}",
    "{subject}: in {sources}, {window}, no row names {names}",
)
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

# A claim that rests on an old reading (E9).
AGED = Text("{text}（数据截至 {moment}）", "{text} (as of {moment})")
