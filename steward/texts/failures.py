"""What each failure of reading is called, what happened, and what to do next (R4). Keys are wire codes.

reading/failures.py joins these with who can fix it and whether trying again can help, and picks the words: what
is wrong with a whole source is put otherwise than what is wrong with one goal in it, or with one of its lists. No
text names a code, a path or a provider's words; all of them may be shown in a group.
"""

from collections.abc import Mapping

from steward.texts.catalogue import FailureText, Text
from steward.texts.programs import PROGRAMS

EFFECT_SOURCE = Text(
    zh="未从该来源读到证据，不得表述为没有进展。",
    en="No evidence was read from this source; it must not be presented as no progress.",
)
EFFECT_PART = Text(
    zh="未从该来源的这一部分读到证据，不得表述为没有进展。",
    en="No evidence was read from this part of the source; it must not be presented as no progress.",
)
EFFECT_KEPT = Text(
    zh="本次未从该来源读到证据；列出的是上次读到的内容，可能已过时，但不等于没有，不得表述为没有进展。",
    en="No evidence was read from this source now. The rows of its last successful read stand in: they may be "
    "outdated, not absent; it must not be presented as no progress.",
)

STALE = FailureText(
    label=Text(zh="内容已过时", en="out of date"),
    happened=Text(
        zh="内容有一段时间没有更新了。",
        en="Its content has not been updated for longer than is allowed.",
    ),
    action=Text(
        zh="请负责人更新；在此之前，引用时请说明内容的时间。",
        en="The owner should bring it up to date; until then, state how old its content is.",
    ),
)

FAILURES: Mapping[str, FailureText] = {
    **PROGRAMS,
    "unsupported_read_tool": FailureText(
        label=Text(zh="工具不可用", en="no such tool"),
        happened=Text(
            zh="此处没有这个名称的读取工具。", en="There is no read tool of this name here."
        ),
        action=Text(
            zh="请使用本对话提供的读取工具。", en="Use the read tool that this conversation offers."
        ),
    ),
    "invalid_arguments": FailureText(
        label=Text(zh="参数有误", en="arguments refused"),
        happened=Text(zh="读取参数未通过检查。", en="The arguments of this read were refused."),
        action=Text(
            zh="请按所列各项修改参数后重新调用。",
            en="Mend each listed argument as its entry says and call again.",
        ),
    ),
    "source_outside_available_scope": FailureText(
        label=Text(zh="来源不可用", en="no such source"),
        happened=Text(zh="可读范围内没有这个来源。", en="No source of this id may be read here."),
        action=Text(
            zh="请从来源列表中选择一个来源；如需其他来源，请联系负责人授权。",
            en="Choose one from the list of sources; for any other, ask the owner to grant it.",
        ),
    ),
    "goal_outside_available_scope": FailureText(
        label=Text(zh="目标不可用", en="no such goal"),
        happened=Text(zh="可读范围内没有这个目标。", en="No goal of this id may be read here."),
        action=Text(
            zh="请从目标总览中选择一个目标；如需其他目标，请联系负责人授权。",
            en="Choose one from the portfolio; for any other, ask the owner to grant it.",
        ),
    ),
    "invalid_remote_read": FailureText(
        label=Text(zh="不提供此类内容", en="does not serve this"),
        happened=Text(
            zh="该来源不提供所要求的内容。", en="The source does not record what was asked for."
        ),
        action=Text(
            zh="请改读其他类别，或不指定来源。", en="Read another view, or leave the source open."
        ),
    ),
    "goal_inventory_unavailable": FailureText(
        label=Text(zh="目标列表不完整", en="goals could not be listed"),
        happened=Text(
            zh="有来源无法列出全部目标，因此无法确定这个目标是否存在。",
            en="The goals of a source could not all be listed, so whether this goal exists is not known.",
        ),
        action=Text(
            zh="请先修复无法读取的来源，或查看来源列表了解原因。",
            en="Repair the source that could not be read; the list of sources names the reason.",
        ),
    ),
    "handoff_query_unavailable_or_invalid": FailureText(
        label=Text(zh="没有找到这项交接", en="no such handoff found"),
        happened=Text(
            zh="在可以读取的内容里，没有找到这个编号的交接；不能据此认为它不存在。",
            en="No handoff of this number was found in what may be read; that does not say there is none.",
        ),
        action=Text(
            zh="请核对编号，或不带编号查看全部交接。",
            en="Check the number, or read the handoffs without one.",
        ),
    ),
    "remote_scope_mismatch": FailureText(
        label=Text(zh="返回了其他内容", en="answered for another"),
        happened=Text(
            zh="该来源返回了其他来源、目标或类别的内容，已全部舍弃。",
            en="The source answered for another source, goal or view; all of it was dropped.",
        ),
        action=Text(
            zh="请维护人员检查该来源的配置与版本。",
            en="The operator should check how this source is configured, and its version.",
        ),
    ),
    "stale_snapshot": FailureText(
        label=Text(zh="翻页时内容已变化", en="changed between pages"),
        happened=Text(
            zh="翻页期间内容发生了变化。", en="The content changed after the earlier page was read."
        ),
        action=Text(zh="请从第一页（offset 为 0）重新读取。", en="Begin again at offset 0."),
    ),
    "authorization_changed": FailureText(
        label=Text(zh="权限已变化", en="permission changed"),
        happened=Text(
            zh="读取期间可读范围发生了变化，读到的内容已舍弃。",
            en="What may be read here changed during the read, so its rows were dropped.",
        ),
        action=Text(
            zh="请重新提问，系统会按当前权限读取。",
            en="Ask again; the next read follows the present permission.",
        ),
    ),
    "read_tool_unavailable": FailureText(
        label=Text(zh="读取出错", en="read failed"),
        happened=Text(
            zh="读取因程序内部错误而失败。", en="The read failed from a fault inside the program."
        ),
        action=Text(
            zh="可以再试一次；若仍失败，请维护人员查看日志。",
            en="Try once more; if it fails again, the operator should look at the log.",
        ),
    ),
    "not_found_or_no_access": FailureText(
        label=Text(zh="找不到或无权访问", en="not found, or no access"),
        happened=Text(
            zh="要读取的内容不在那里，或没有访问权限。",
            en="What should be read is not there, or access to it is missing.",
        ),
        action=Text(
            zh="请负责人检查它的位置和访问权限。",
            en="The owner should check where it is and who may read it.",
        ),
    ),
    "ref_not_found": FailureText(
        label=Text(zh="找不到分支或标签", en="no such branch or tag"),
        happened=Text(
            zh="仓库在那里，但里面没有要读取的分支、标签或提交。",
            en="The repository is there, but not the branch, tag or commit that should be read.",
        ),
        action=Text(
            zh="请负责人更正该来源配置中的分支或标签名。",
            en="The owner should correct the branch or tag that this source is configured to read.",
        ),
    ),
    "ownership_refused": FailureText(
        label=Text(zh="属于其他用户", en="owned by another user"),
        happened=Text(
            zh="仓库属于另一个系统用户，因此没有读取。",
            en="The repository belongs to another user of the machine, so it was not read.",
        ),
        action=Text(
            zh="请维护人员更正它的归属；若信任该用户，可在该来源的配置中设 trust_owner = true。",
            en="The operator should correct its ownership or, where that user is trusted, set trust_owner = true for "
            "this source.",
        ),
    ),
    "forbidden": FailureText(
        label=Text(zh="不允许读取", en="may not be read"),
        happened=Text(
            zh="它在那里，但不允许读取：没有权限、不是普通文件，或指向了配置范围之外。",
            en="It is there, but may not be read: permission is missing, it is no ordinary file, or it leads "
            "outside of what is configured.",
        ),
        action=Text(
            zh="请负责人开放读取权限，或换成普通文件。",
            en="The owner should permit reading it, or put an ordinary file in its place.",
        ),
    ),
    "timeout": FailureText(
        label=Text(zh="读取超时", en="timed out"),
        happened=Text(zh="未能在时限内读完。", en="It could not be read in the time allowed."),
        action=Text(
            zh="请稍后再问；若经常超时，请维护人员检查该来源。",
            en="Ask again later; if this happens often, the operator should look at the source.",
        ),
    ),
    "corrupt": FailureText(
        label=Text(zh="内容损坏", en="damaged"),
        happened=Text(
            zh="内容已损坏，或不是可读的 UTF-8 文本。",
            en="The content is damaged, or is not readable text in UTF-8.",
        ),
        action=Text(
            zh="请负责人恢复完好的版本；文本须存为 UTF-8。",
            en="The owner should restore a sound version; text must be saved as UTF-8.",
        ),
    ),
    "parse_failed": FailureText(
        label=Text(zh="格式有误", en="malformed"),
        happened=Text(
            zh="内容不符合约定的格式，例如为空、语法有误、键重复或拼错、编号重复。",
            en="The content does not have the agreed form, for example because it is empty, breaks the syntax, "
            "repeats or misspells a key, or repeats an id.",
        ),
        action=Text(
            zh="请负责人按格式更正后再问。",
            en="The owner should correct this to the documented form; then ask again.",
        ),
    ),
    "too_large": FailureText(
        label=Text(zh="内容过大", en="too large"),
        happened=Text(
            zh="内容超过可读取的大小。", en="The content is larger than what may be read."
        ),
        action=Text(
            zh="请负责人拆分内容，或移走已过时的部分。",
            en="The owner should split it, or move old parts away.",
        ),
    ),
    "truncated": FailureText(
        label=Text(zh="未读完整", en="not read whole"),
        happened=Text(
            zh="只读到一部分：可能正在写入、超出读取上限，或时间范围早于可读内容。",
            en="Only a part could be read: it is being written, exceeds a limit, or the window begins before what "
            "can be reached.",
        ),
        action=Text(
            zh="请稍后再问，或缩小范围。", en="Ask again in a moment, or narrow the question."
        ),
    ),
    "contract_changed": FailureText(
        label=Text(zh="有未识别的取值", en="values not recognised"),
        happened=Text(
            zh="有记录的取值没有对应含义，已单独列出，不计为未完成或已完成。",
            en="Some records hold values without a known meaning; they are counted apart, never as open or done.",
        ),
        action=Text(
            zh="请负责人改用约定的取值，或补充映射。",
            en="The owner should use the agreed values, or add a mapping for these.",
        ),
    ),
    "not_configured": FailureText(
        label=Text(zh="尚未就绪", en="not ready yet"),
        happened=Text(
            zh="还没有配置好，或里面还没有任何目标。",
            en="It is not set up yet, or holds no goal yet.",
        ),
        action=Text(
            zh="请负责人检查配置，并放入目标。",
            en="The owner should check its settings and put goals into it.",
        ),
    ),
    "registry_unavailable": FailureText(
        label=Text(zh="授权记录不可读", en="grants could not be read"),
        happened=Text(
            zh="无法读取来源与授权的记录，因此未进行任何读取。",
            en="The record of sources and grants could not be read, so nothing was read.",
        ),
        action=Text(
            zh="请稍后再问；若仍失败，请维护人员检查存储。",
            en="Ask again later; if it fails again, the operator should look at the store.",
        ),
    ),
    "external_authorization_unavailable": FailureText(
        label=Text(zh="权限无法确认", en="permission unclear"),
        happened=Text(
            zh="无法确认本会话可以读取什么，因此未进行任何读取。",
            en="What this conversation may read could not be established, so nothing was read.",
        ),
        action=Text(
            zh="请稍后再问；若仍失败，请负责人检查授权。",
            en="Ask again later; if it fails again, the owner should look at the grants.",
        ),
    ),
}

OF_GOAL: Mapping[str, FailureText] = {
    "not_found_or_no_access": FailureText(
        label=Text(zh="有目标不见了", en="a goal is gone"),
        happened=Text(
            zh="之前读到过，现在找不到了。", en="It was there before and cannot be found now."
        ),
        action=Text(
            zh="请负责人恢复；若是有意移除，重启服务后不再提示。",
            en="The owner should restore it; if it was removed on purpose, a restart of the service forgets it.",
        ),
    ),
    "not_configured": FailureText(
        label=Text(zh="缺少列表", en="list missing"),
        happened=Text(
            zh="没有{list}列表；没有列表，不等于没有内容。",
            en="It has no list of {list}, which is not the same as an empty one.",
        ),
        action=Text(
            zh="请负责人补上列表；确实没有内容的，请写成空列表。",
            en="The owner should add the list; one that is really empty is written as an empty list.",
        ),
    ),
}
"""What differs where a single goal of a source is concerned. {list}: the lists, by name."""

OF_LIST: Mapping[str, FailureText] = {
    "parse_failed": FailureText(
        label=Text(zh="部分记录有误", en="some records malformed"),
        happened=Text(
            zh="{list}里有 {count} 条记录不符合约定的格式，没有读入。",
            en="Malformed records of its {list}, left out: {count}.",
        ),
        action=FAILURES["parse_failed"].action,
    ),
    "contract_changed": FailureText(
        label=FAILURES["contract_changed"].label,
        happened=Text(
            zh="{list}里有 {count} 条记录的状态没有约定的含义，已单独列出，不计为未完成或已完成。",
            en="Records of its {list} with a status of no known meaning: {count}. They are counted apart, never as "
            "open or done.",
        ),
        action=FAILURES["contract_changed"].action,
    ),
}
"""What differs where records of one goal's lists are concerned."""

ANY_LIST = Text(zh="所需的", en="this kind")
"""Stands for {list} where it is not known which one."""
