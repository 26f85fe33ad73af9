"""A tripwire for words: which clauses say that something is absent, and which that something holds of all (E3, E7).

Lexical, Chinese and English, one clause at a time: a hedge elsewhere in the sentence excuses nothing. It errs on the
side of absence, since all that follows from a hit is that code writes the sentence instead. What it cannot see is an
absence in words that it does not know; the coverage block, which no endpoint writes, stands beside every answer.
"""

import re
from collections.abc import Iterator
from enum import Enum

_BREAK = re.compile(
    r"[,，;；。!！?？、\n(（)）—]|\.(?=\s|$)|[:：](?=[^,，;；。]*\d)"
    r"|\b(?:but|while|whereas|although|though|except|so)\b|但是?|不过|然而|而且|并且|所以"
)
"""Where a clause ends; a colon does so before figures alone: "todos: all done" is one statement."""


def clauses(text: str) -> Iterator[str]:
    """The clauses of a text, without those of nothing but spaces."""
    for clause in _BREAK.split(text):
        if clause and not clause.isspace():
            yield clause


# ---------------------------------------------------------------- absence

_WORK_EN = (
    r"(?:progress|updates?|changes?|movements?|motion|momentum|activit(?:y|ies)|actions?|developments?|deliver(?:y|ies|ables?)"
    r"|releases?|merges?|commits?|pushes|pull\ requests?|prs?|todos?|tasks?|items?|issues?|tickets?|work|blockers?"
    r"|impediments?|obstacles?|risks?|problems?|concerns?|delays?|deadlines?|hand-?offs?|hand-?overs?|records?|news|evidence"
    r"|signs?|results?|traces?|goals?|entr(?:y|ies)|rows?|things?|anything|blocked|overdue|late|open|outstanding|remaining"
    r"|pending|left|shipped|delivered|merged|done|completed|to\ report)"
)
_VERB_EN = (
    r"(?:mov|chang|ship|deliver|merg|progress|advanc|happen|occur|updat|start|land|releas|touch|budg|finish|complet|done"
    r"|record|seen|begun|begin|push|commit|clos|resolv|accept|picked\ up|ready|active|any|much|a\ single)\w*"
)
_ABSENT_EN = re.compile(
    rf"""
    \b(?:nothing|nobody|none|no[ -]one|nowhere|neither)\b
    | \b(?:no|zero|without|not\ (?:a|any|one|much|many)|n't\ (?:any|much|many)|lacks?|lacking|lack\ of|absence\ of
        |free\ (?:of|from)|clear\ of|hardly|barely|scarcely|(?<!a\ )little|(?<!a\ )few)\ (?:[\w'-]+\ ){{0,3}}?{_WORK_EN}\b
    | (?:\bnot|n't|\bnever)\ (?:(?:yet|really|even|been|be|have|had|was)\ ){{0,2}}{_VERB_EN}
    | \b(?:quiet|silent|silence|idle|inactive|dormant|stagnant|stagnat\w+|unchanged|untouched|stand-?still|uneventful
        |st(?:and|ands|ood|anding)\ still|asleep|flatlined|stalled|frozen|empty|calm|static|halted|deserted|all\ clear
        |blocker-free|risk-free|ground\ to\ a\ halt|dead|dried\ up|drying\ up|petered\ out|on\ ice|in\ limbo|at\ rest|crickets|same\ as\ (?:before|ever|last|yesterday)|the\ same\ (?:place|state|spot)
        |where\ (?:it|they|we|things)\ (?:was|were)|business\ as\ usual|remains?\ the\ same|on\ pause)\b
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_NEGATION = r"(?:没有?|无(?![法论需须关效线缝])|未(?![来知必])有?|尚无|暂无|并无|毫无|不存在|不见|看不到|查不到|找不到|缺乏|缺少|零)"
_WORK_ZH = (
    r"(?:进展|进度|推进|动静|动作|动向|变化|变动|改动|变更|更新|交付|产出|产物|发布|上线|合并|提交|待办|任务|事项|工作|阻塞|阻碍"
    r"|阻力|受阻|卡点|堵点|风险|问题|障碍|困难|逾期|超期|过期|延期|延误|拖延|交接|记录|新增|新的|活动|遗留|剩余|剩下|异常|消息|结果"
    r"|成果|完成|事情|事|汇报|迹象|东西|目标|人)"
)
_ABSENT_ZH = re.compile(
    rf"""
    {_NEGATION}[^,，;；。]{{0,6}}?{_WORK_ZH}
    | 没人 | 无人 | 没有?谁 | 什么[都也][没不] | 谁[都也][没不] | [都也]没 | 没什么 | 没啥
    | 任何[^,，;；。]{{0,8}}[没未] | 一[个项件条次点]?[^,，;；。]{{0,6}}[都也][没不未]
    | [没未不](?:再|曾)?[动变] | 空空如也 | 为空 | 空白 | 为零 | 归零
    | 平静 | 颗粒无收 | 断档 | 断更 | 停更 | 毫发 | 空转 | 沉默 | 无声 | 一筹莫展 | 空窗 | 安静 | 沉寂 | 寂静 | 静悄悄 | 停滞 | 停摆 | 停顿 | 静止 | 原地 | 风平浪静 | 死水 | 照旧 | 如常 | 老样子
    | [和跟与同][^,，;；。]{{1,6}}(?:一样|相同|无异) | 一如既往 | 按兵不动 | 冷清 | 起色 | 裹足不前 | 维持原状 | 保持原样
    """,
    re.VERBOSE,
)
_ZERO = re.compile(
    r"(?<![\w.:/-])0(?![\w.:/-]*\d)|\bzero\b|零[项个条件次份]", re.IGNORECASE | re.ASCII
)
_NOT_YET = re.compile(
    r"(?:尚未|还没有?|还未|仍未|未能?|没有?)被?(?:完成|交付|开始|接收|处理|解决|合并|上线|关闭|做完|办完|动手|启动|发布|签收|接手)"
    r"|(?:\bnot|n't) (?:(?:yet|been|be) ){0,2}(?:finished|completed?|done|delivered|shipped|merged|started|accepted|picked up"
    r"|resolved|closed|ready|released)(?: yet)?\b",
    re.IGNORECASE | re.ASCII,
)
_UNFINISHED = re.compile(r"[未没][完解][成决](?=的|待办|事项|任务|项)")
_DENIED = re.compile(
    rf"(?:并?不是|并非)说?{_NEGATION}.*|不(?:等于|代表|意味着?|表示|能?说明).{{0,6}}?{_NEGATION}.*"
    r"|^\s*(?:please )?(?:do not|don't) (?!see|have|know|think|find|expect)\w+"
    r"|(?:\bnot|n't) (?:mean|imply|say|indicate|the same as|that)\b.*",
    re.IGNORECASE | re.ASCII,
)


def absent(clause: str, *, unfinished: bool = False, zeros: bool = True) -> bool:
    """Whether a clause says that there is none, nobody, no change.

    `unfinished`: the claim cites rows that are not finished, of which "not yet done" is their state. `zeros`: whether
    the figure 0 says so too. A denied absence ("this does not mean that there was no progress") is none, nor is an order.
    """
    text = _UNFINISHED.sub(" ", _DENIED.sub(" ", clause))
    if unfinished:
        text = _NOT_YET.sub(" ", text)
    found = _ABSENT_EN.search(text) or _ABSENT_ZH.search(text) or _NOT_YET.search(text)
    return found is not None or (zeros and _ZERO.search(text) is not None)


# ---------------------------------------------------------------- all


class Said(Enum):
    """What is said of all."""

    FINISHED = "finished"
    FINE = "fine"
    BLOCKED = "blocked"
    DOING = "doing"
    OPEN = "open"


class Reach(Enum):
    """Of how much: EACH of what is named, ALL there is, or one goal as a WHOLE."""

    EACH = "each"
    ALL = "all"
    WHOLE = "whole"


_FINISHED_ZH = r"(?<![未没有能])(?:完成|关掉|做好|处理好|清掉|清除|清零|了结|做完|办完|完工|关闭|解决|交付|合并|上线|发布|收尾|结束|搞定|就绪|处理完|清空|落地|达成)"
_FINISHED_EN = (
    r"(?:done|completed?|finished|closed|resolved|delivered|shipped|merged|released|landed|wrapped(?: everything| it all)? up|cleaned up|clean|empty|cleared out|completion|settled|fixed|accepted"
    r"|cleared|ready|over)"
)
_SAID = (
    (
        Said.FINISHED,
        re.compile(rf"{_FINISHED_ZH}|(?<!un)\b{_FINISHED_EN}\b", re.IGNORECASE | re.ASCII),
    ),
    (
        Said.FINE,
        re.compile(
            r"顺利|正常|按计划|良好|妥当|绿灯|可控|\b(?:on track|on schedule|fine|well|good|green|healthy|as planned"
            r"|under control|ok(?:ay)?)\b",
            re.IGNORECASE | re.ASCII,
        ),
    ),
    (Said.BLOCKED, re.compile(r"受阻|阻塞|卡住|\b(?:blocked|stuck)\b", re.IGNORECASE | re.ASCII)),
    (
        Said.DOING,
        re.compile(
            r"进行中|\b(?:in progress|under ?way|being worked on)\b", re.IGNORECASE | re.ASCII
        ),
    ),
    (Said.OPEN, re.compile(r"待处理|\bopen\b", re.IGNORECASE | re.ASCII)),
)
_ALL = re.compile(
    r"全部|全都|全数|所有|一切|每一?[个项条件]|悉数|统统|通通|一律|皆|彻底|完全|整个|整体|全面|全(?=已|完|交付|做|办|关)"
    r"|100\s*%|百分之?百|都(?=关|做|清|了结|处理)|清空|清零|\bbacklog\b|\bfull\b|(?<!after )(?<!at )(?<!first of )\ball\b|\bevery(?:thing|one|body)?\b|\beach\b"
    r"|\b(?:entire|entirely|whole|completely|fully|totally|without exception|100 percent)\b",
    re.IGNORECASE | re.ASCII,
)
_EACH = re.compile(r"都|均|\bboth\b", re.IGNORECASE | re.ASCII)
_NOT_ALL = re.compile(
    r"(?:并非|不是|没有?|未|尚未|还没)(?:全|都|所有|每|完全|彻底)|\bnot (?:all|every|each|fully|entirely|completely)\b",
    re.IGNORECASE | re.ASCII,
)
_PROJECT = re.compile(
    rf"(?:项目|目标|◇)\s*(?:已经?|全?都?|也|均|现){{0,3}}{_FINISHED_ZH}(?:了|完毕)?\s*$"
    rf"|(?:\b(?:project|goal)|◇) (?:is|has been|was|has) (?:now |already |been )?{_FINISHED_EN}\s*$",
    re.IGNORECASE | re.ASCII,
)


def total(clause: str) -> tuple[Reach, Said] | None:
    """What a clause says of all, or of a whole goal (its name stands as ◇). None: nothing of the kind."""
    if _NOT_ALL.search(clause):
        return None
    said = next((meaning for meaning, words in _SAID if words.search(clause)), None)
    if said is None:
        return None
    if _ALL.search(clause):
        return Reach.ALL, said
    if _PROJECT.search(clause):
        return Reach.WHOLE, said
    return (Reach.EACH, said) if _EACH.search(clause) else None
