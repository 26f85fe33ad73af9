"""What was read and what was not: the one line of coverage, and the details folded behind it (R0, W1).

Why a source failed, and what to do about it, is the table of failures' to say; here is the frame around it.
"""

from steward.texts.catalogue import Text

READ_OF = Text("已读 {read}/{all}", "Read {read}/{all}")
UNREAD = Text("未读到证据：{gaps}", "no evidence read: {gaps}")
PARTIAL = Text("只读到一部分：{gaps}", "read in part: {gaps}")
STALE = Text("数据过旧：{gaps}", "out of date: {gaps}")
NO_SOURCES = Text("未读到证据：没有可读的来源", "No evidence read: there is no source to read")
SEPARATOR = Text(" · ", " · ")

GAP = Text("{source}（{reason}）", "{source} ({reason})")
MORE_GAPS = Text("另外 {count} 个", "{count} more")
NOT_TRIED = Text("本次没有读取", "not read this time")
ONLY_PART = Text("有缺失", "some of it is missing")
OUT_OF_DATE = Text("数据截至 {moment}", "as of {moment}")
OUT_OF_DATE_UNDATED = Text("数据时间不详", "age unknown")

# One line per gap: what happened and what to do, then what it means for this answer.
DETAIL = Text("{source}：{sentence}{effect}", "{source}: {sentence} {effect}")
PART_OF = Text("{source}（{goals}）", "{source} ({goals})")
NOT_TRIED_SENTENCE = Text(
    "这次回答没有读取它。可以指明它再问一次。",
    "It was not read for this answer. Ask again and name it.",
)
PARTIAL_SENTENCE = Text(
    "只读到了一部分。可以稍后再问一次。", "Only a part of it was read. Ask again later."
)
EFFECT_WHOLE = Text(
    "未读到它的证据，因此不清楚那边有没有变化。",
    "No evidence was read from it, so this answer cannot say whether anything moved there.",
)
EFFECT_PART = Text(
    "这一部分未读到证据，因此不清楚那里有没有变化。",
    "No evidence was read from this part, so this answer cannot say whether anything moved there.",
)
EFFECT_STALE = Text(
    "此后的情况未读到证据，因此不清楚有没有变化。",
    "No evidence was read of what came later, so this answer cannot say whether anything moved since.",
)

WINDOW = Text(
    "交付的时间范围：{start} 至 {end}（{zone}）", "Deliveries from {start} to {end} ({zone})"
)
AS_OF = Text("{source}：数据截至 {moment}（{zone}）", "{source}: as of {moment} ({zone})")
DROPPED = Text(
    "有 {count} 句对应不到读到的记录，没有写进回答。",
    "Left out, because no record that was read supports it: {count}.",
)
EVIDENCE = Text("{row}（{source}）", "{row} ({source})")
EVIDENCE_AGED = Text(
    "{row}（{source}，数据截至 {moment}）", "{row} ({source}, out of date: as of {moment})"
)
EVIDENCE_UNDATED = Text("{row}（{source}，数据时间不详）", "{row} ({source}, age unknown)")
LATE = Text(
    "这个问题问于 {moment}（{zone}），这是迟到的回答。",
    "This was asked at {moment} ({zone}); the answer comes late.",
)
