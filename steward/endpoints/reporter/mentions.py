"""What a question seems to call a goal, a source or a person, where nothing that was read has that name. Pure.

Careful on purpose: to say "there is no goal called …" of an ordinary word would be noise. A name stands in quotation
marks, carries a number, or follows a word that names follow and is no word of the questions that we know.
"""

import re
from functools import cache

from steward.endpoints.reporter.examples import ENGLISH
from steward.endpoints.reporter.folding import ideographic, plain
from steward.endpoints.reporter.intents import GOAL, TIME
from steward.endpoints.reporter.rules import RULES_ZH
from steward.model.turn import Language

MOST_CHARS = 40

_QUOTED = re.compile(r"“([^”]+)”|\"([^\"]+)\"|「([^」]+)」|《([^》]+)》|『([^』]+)』")
_NUMBERED = re.compile(
    r"\b(?!pr\b|mr\b|todo|task|week|day|top\b|q\b|the\b|last\b|next\b|past\b)([a-z][a-z-]*\s?\d+(?:\.\d+)*)\b"
)
_SLOT = re.compile(
    r"\b(?:the|project|goal|on|for|of|about|with|into|to|how\s+is|how's|hows|is|own[s]?|runs?)\s+"
    r"((?:(?!(?:the|project|goal)\b)[a-z][a-z0-9_.-]*\s?){1,4})"
)
_WORD = re.compile(r"[a-z][a-z0-9_.'-]*")
_LATIN = re.compile(r"(?<![a-z0-9_.-])[a-z][a-z0-9_.-]*(?:\s\d+(?:\.\d+)*)?(?![a-z0-9_-])")
_RUN = re.compile(r"[\u4e00-\u9fff]{2,12}")
_PERSON_ZH = re.compile(r"[小老阿][\u4e00-\u9fff](?![\u4e00-\u9fff]*(?:组|时候|板))")
_PERSON_EN = re.compile(
    r"\b(?:did|has|does|do|is|was|by|for|from|to|of|on|about)\s+([A-Z][a-z]{1,20})\b(?!\s+[A-Z])"
    r"|\b([A-Z][a-z]{1,20})'s\b"
)
_NO_PERSON = re.compile(r"小(?:时|结|组|事|心|计|伙|姐|型|程)|老(?:板|是|师|早)")

_COMMON = frozenset(
    [
        "a",
        "an",
        "and",
        "any",
        "anything",
        "are",
        "as",
        "at",
        "be",
        "been",
        "before",
        "behind",
        "blocked",
        "by",
        "can",
        "change",
        "changed",
        "could",
        "date",
        "days",
        "did",
        "do",
        "does",
        "done",
        "due",
        "each",
        "else",
        "end",
        "ever",
        "every",
        "everyone",
        "everything",
        "far",
        "feature",
        "find",
        "fine",
        "first",
        "for",
        "from",
        "get",
        "give",
        "go",
        "goal",
        "goals",
        "going",
        "good",
        "got",
        "had",
        "has",
        "have",
        "her",
        "here",
        "him",
        "his",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "issue",
        "issues",
        "it",
        "item",
        "items",
        "its",
        "just",
        "last",
        "late",
        "latest",
        "left",
        "let",
        "list",
        "main",
        "many",
        "me",
        "month",
        "more",
        "most",
        "much",
        "my",
        "need",
        "needs",
        "new",
        "next",
        "no",
        "nobody",
        "not",
        "now",
        "of",
        "off",
        "ok",
        "okay",
        "on",
        "one",
        "open",
        "or",
        "other",
        "our",
        "out",
        "over",
        "own",
        "owner",
        "owners",
        "part",
        "people",
        "place",
        "plan",
        "please",
        "point",
        "problem",
        "problems",
        "project",
        "projects",
        "question",
        "reach",
        "read",
        "right",
        "risk",
        "risks",
        "say",
        "see",
        "show",
        "side",
        "so",
        "some",
        "someone",
        "something",
        "soon",
        "source",
        "sources",
        "stand",
        "start",
        "status",
        "still",
        "stuff",
        "subject",
        "sure",
        "task",
        "tasks",
        "team",
        "tell",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "thing",
        "things",
        "this",
        "those",
        "time",
        "to",
        "today",
        "todo",
        "todos",
        "track",
        "two",
        "under",
        "up",
        "update",
        "updates",
        "us",
        "view",
        "wait",
        "waiting",
        "want",
        "was",
        "way",
        "we",
        "week",
        "weeks",
        "well",
        "went",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "whole",
        "whom",
        "whose",
        "why",
        "will",
        "with",
        "work",
        "works",
        "would",
        "year",
        "yes",
        "yesterday",
        "yet",
        "you",
        "your",
        "review",
        "reviews",
        "pr",
        "prs",
        "mr",
        "mrs",
        "ci",
        "build",
        "builds",
        "pipeline",
        "handoff",
        "handoffs",
        "handover",
        "handovers",
        "qa",
        "commit",
        "commits",
        "code",
        "merge",
        "merged",
        "delivery",
        "deliveries",
        "deadline",
        "deadlines",
        "state",
        "same",
        "order",
        "plate",
        "queue",
        "moment",
        "stuck",
        "members",
        "member",
        "board",
        "schedule",
        "target",
        "launch",
        "ship",
        "shipped",
        "release",
        "released",
        "releases",
        "finish",
        "finished",
        "report",
        "summary",
        "recap",
    ]
)
_COMMON_ZH = re.compile(
    r"什么时候|为什么|怎么样|怎么回事|什么样|哪一步|有没有|是不是|能不能|会不会|多少|哪些|哪个|哪里|哪儿|哪位|哪天|什么|怎么|怎样|如何|为何|为啥|咋样|咋"
    r"|现在|目前|当前|最近|今天|昨天|明天|已经|还有|还没|还在|还是|还|都|也|就|才|又|再|吗|呢|吧|啊|呀|么|的|了|着|过|得|地|是|在|有|没有|没|不|被|把|给|让|和|与|跟|同|及|或"
    r"|项目|目标|任务|待办|事项|事情|工作|问题|东西|进展|进度|情况|状态|状况|方面|部分|这块|那块|这边|那边|这个|那个|这件|那件|这些|那些|这|那|哪|谁|我们|你们|他们|大家|我|你|他|她|它"
    r"|请问|请|麻烦|帮我|帮忙|告诉|看看|看下|看一下|说说|说一下|讲讲|列一下|列出|列|查一下|查|给我|想知道|了解|一下|一份|一个|一些|几个|个|件|项|位|份|条|点"
    r"|可以|能|会|要|该|应该|需要|必须|想|得到|到|去|来|做|弄|搞|干|完成|做完|结束|开始|上线|发布|交付|提交|负责人|负责|负责的|对接|牵头|管|找|问|联系"
    r"|卡住|卡|阻塞|受阻|风险|逾期|到期|截止|期限|剩下|剩余|剩|差|缺|推迟|延期|延后|推后|落后|领先|交接|移交|测试|评审|变化|更新|动|周报|总结|汇总|原因|对比|比较|比"
    r"|整体|总体|全部|所有|一共|总共|从|自|以来|之前|之后|前|后|里|上|下|中|内|外|大概|大约|左右|人|名|叫|关于|对于|针对|对|最|更|很|太|好|快|慢|早|晚|多|久|新|老是|顺利|正常"
    r"|步|程度|阶段|走|推进|跑|行|成|稳|黄|按时|预计|计划|打算|定|日期|时间|日子|等|等待|谁在|接|收|领|方|团队|同事|组"
)


def goal_named(masked: str, language: Language) -> str | None:
    """What the question seems to call a goal, cut out of the masked plain text."""
    if quoted := _QUOTED.search(masked):
        return _kept(next(filter(None, quoted.groups())))
    if language is Language.ZH:
        return _named_in_chinese(masked)
    return _named_in_english(masked)


def _named_in_english(masked: str) -> str | None:
    if match := _NUMBERED.search(masked):
        return _kept(match[1])
    for match in _SLOT.finditer(masked):
        words: list[str] = []
        for word in _WORD.findall(match[1]):
            if _is_known(word) and words:
                break
            words.append(word)
        while words and _is_known(words[0]):
            words.pop(0)
        if words:
            return _kept(" ".join(words))
    return None


def _named_in_chinese(masked: str) -> str | None:
    text = masked.replace(GOAL, " ").replace(TIME, " ")
    for match in _LATIN.finditer(text):
        if match[0] not in _COMMON and not _is_known(match[0]):
            return _kept(match[0])
    for _, rule in RULES_ZH:
        text = rule.sub(" ", text)
    runs: list[str] = _RUN.findall(_COMMON_ZH.sub(" ", text))
    return _kept(max(runs, key=len)) if runs else None


def _kept(name: str) -> str | None:
    name = name.strip(" .?!,'")
    return name if name and len(name) <= MOST_CHARS else None


def _is_known(word: str) -> bool:
    return word.rstrip(".'") in _COMMON or word in _vocabulary()


@cache
def _vocabulary() -> frozenset[str]:
    """Every word of the English examples."""
    return frozenset(
        word for texts in ENGLISH.values() for text in texts for word in _WORD.findall(text)
    )


def words_of(masked: str) -> list[str]:
    """Words of the question that may be a part of a goal's name, the longest first."""
    text = plain(masked)
    words = {word for word in _WORD.findall(text) if len(word) > 3}
    words |= {run for run in _RUN.findall(_COMMON_ZH.sub(" ", text)) if all(map(ideographic, run))}
    return sorted(words, key=lambda word: (-len(word), word))


def person_named(question: str, language: Language) -> str | None:
    """A name of somebody, by the way it is written, where no row has it."""
    if language is Language.ZH:
        match = _PERSON_ZH.search(question)
        return None if match is None or _NO_PERSON.match(match[0]) else match[0]
    for match in _PERSON_EN.finditer(question):
        name: str = match[1] or match[2]
        if not _is_known(name.casefold()):
            return name
    return None


_SOURCE = re.compile(
    r"(飞书[\u4e00-\u9fff]{0,4}?(?:文档|表格|知识库|任务)|gitlab|github|gitea|jira|wiki|linear|多维表格|文档|表格|知识库|仓库)"
    r"|\b(?:read|reach|access|load|see|open|fetch|is|did|has)\s+(?:the\s+|our\s+)?((?:[a-z0-9]+\s){0,2}?(?:doc|docs|document|wiki|sheet|board|repo|repository|folder|tracker|base|table)\b|gitlab|github|jira|[a-z][a-z0-9]+)"
)


def source_named(question: str) -> str | None:
    """What the question calls a source."""
    match = _SOURCE.search(plain(question))
    return None if match is None else _kept(match[1] or match[2])
