"""A row of evidence in full: the names of its fields, and what stands around a list of such rows."""

from steward.texts.catalogue import Text

HEADLINE = Text("依据全文：{count} 条记录", "Evidence in full: {count}")
BEHIND = Text("对应的回答：{headline}", "Behind the answer: {headline}")
WITHHELD = Text(
    "另有 {count} 条不再显示：这里的可读范围变了。",
    "Not shown any more: {count}. What may be read here changed.",
)

ROW = Text("{view}：{title}", "{title} ({view})")
FIELD = Text("{name}：{value}", "{name}: {value}")

GOAL = Text("目标", "Goal")
ID = Text("标识", "Id")
STATUS = Text("状态", "Status")
WRITTEN_AS = Text("{status}（原文“{raw}”）", "{status} (written as “{raw}”)")
OWNER = Text("负责人", "Owner")
DELIVERED_BY = Text("交付人", "Delivered by")
FROM = Text("交出人", "From")
TO = Text("接收人", "To")
PRIORITY = Text("优先级", "Priority")
DUE = Text("期限", "Due")
TARGET = Text("目标日期", "Target")
BLOCKED_BY = Text("受阻原因", "Blocked by")
WAITING_ON = Text("在等", "Waiting on")
UPDATED = Text("更新时间", "Updated")
AT = Text("时间", "Time")
AHEAD = Text("{moment}，晚于当前时间", "{moment}, which lies ahead of now")
ALIASES = Text("别名", "Aliases")
SOURCE = Text("来源", "Source")
READ_AS_OF = Text("{source}，数据截至 {moment}", "{source}, as of {moment}")
STALE_AS_OF = Text("{source}，数据过旧，截至 {moment}", "{source}, out of date, as of {moment}")
STALE_UNDATED = Text("{source}，数据过旧，时间不详", "{source}, out of date, age unknown")
