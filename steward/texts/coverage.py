"""What was read and what was not: the one line of coverage, and the details folded behind it (E0, W1).

Why a source failed, and what to do about it, is the table of failures' to say; here is the frame around it.
"""

from steward.texts.catalogue import Text

READ_OF = Text("已读 {read}/{all}", "Read {read}/{all}")
UNREAD = Text("未读到证据：{gaps}", "no evidence read: {gaps}")
PARTIAL = Text("其中只读到一部分：{gaps}", "read in part: {gaps}")
STALE = Text("其中数据过旧：{gaps}", "out of date: {gaps}")
NO_SOURCES = Text("未读到证据：没有可读的来源", "No evidence read: there is no source to read")
SEPARATOR = Text(" · ", " · ")

GAP = Text("{source}（{reason}）", "{source} ({reason})")
MORE_GAPS = Text("另外 {count} 个", "{count} more")
KEPT = Text("{reason}，所列为 {moment} 的旧数据", "{reason}; what is shown is from {moment}")
KEPT_UNDATED = Text("{reason}，所列为旧数据", "{reason}; what is shown is older")
NOT_TRIED = Text("本次没有读取", "not read this time")
ONLY_PART = Text("有缺失", "some of it is missing")
OUT_OF_DATE = Text("数据截至 {moment}", "as of {moment}")
OUT_OF_DATE_UNDATED = Text("数据时间不详", "age unknown")

# One line per gap: what happened and what to do; after all of them, what they cost the answer.
DETAIL = Text("{subject}：{sentence}", "{subject}: {sentence}")
PART_OF = Text("{source}（{what}）", "{source} ({what})")
PARTS = Text("其中 {count} 处", "parts of it: {count}")
MORE_DETAILS = Text(
    "还有 {count} 处没有读到，指明来源再问可以看到原因。",
    "More that was not read: {count}. Ask again and name the source to see why.",
)
NOT_TRIED_SENTENCE = Text(
    "这次回答没有读取它。可以指明它再问一次。",
    "It was not read for this answer. Ask again and name it.",
)
PARTIAL_SENTENCE = Text(
    "只读到了一部分。可以稍后再问一次。", "Only a part of it was read. Ask again later."
)
STALE_SENTENCE = Text(
    "内容有一段时间没有更新了。请负责人更新。",
    "Its content has not been updated for longer than is allowed. The owner should bring it up to date.",
)
EFFECT = Text(
    "未读到证据的部分，不清楚有没有变化。",
    "Where no evidence was read, it is not known whether anything moved.",
)
EFFECT_KEPT = Text(
    "这次没有读到、但之前读到过的来源，列出的是当时的内容：可能已过时，不等于没有。",
    "Where a source could not be read now but was before, what it held then is shown: it may be outdated, not absent.",
)
EFFECT_STALE = Text(
    "数据过旧的部分，此后的情况未读到证据，不清楚有没有变化。",
    "Where it is out of date, no evidence was read of what came later.",
)

WINDOW = Text(
    "交付的时间范围：{start} 至 {end}（{zone}）", "Deliveries from {start} to {end} ({zone})"
)
AS_OF = Text("{source}：数据截至 {moment}（{zone}）", "{source}: as of {moment} ({zone})")
MORE_AS_OF = Text(
    "另有 {count} 个来源的数据时间未列出。", "Sources whose time is not listed: {count}."
)
DROPPED = Text(
    "有 {count} 句没有通过与所读记录的核对，没有写进回答。",
    "Left out, because it did not stand up to the records that were read: {count}.",
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
SUPPLEMENT = Text(
    "补充回答：这个问题问于 {moment}（{zone}），当时没能答完；以下依据当时读到的记录。",
    "A late addition: this was asked at {moment} ({zone}) and could not be answered in full then. "
    "What follows rests on what was read at that time.",
)
UNPROVEN = Text(
    "平台没能证实这条消息是你发的，所以这次只读了证据，没有动用主机工具。",
    "The platform did not bear out that this message is yours, so this answer was made from evidence alone, "
    "without host tools.",
)
