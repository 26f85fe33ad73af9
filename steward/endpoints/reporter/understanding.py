"""What is asked: intent, goals, days, and what was taken over from before. Pure.

Goals are looked for before days, so that "Release 2" holds no number of days and "in May" no goal. What a follow-up
leaves out comes from the conversation's topic, and only there; the answer says so.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo

from steward.endpoints.reporter.entities import (
    Ambiguous,
    Named,
    NoGoal,
    Place,
    Resolution,
    alike,
    resolve,
)
from steward.endpoints.reporter.folding import fold, plain
from steward.endpoints.reporter.intents import GOAL, SOURCE, TIME, Intent
from steward.endpoints.reporter.mentions import ABOUT_A_GOAL, goal_named, words_of
from steward.endpoints.reporter.recognition import Recognised, Recogniser
from steward.endpoints.reporter.times import Days, Sprint, days_of
from steward.model.ids import GoalId
from steward.model.reading import Row
from steward.model.topic import Topic, TopicPart
from steward.model.turn import Language, TurnInput
from steward.policy.wording import day
from steward.reading.windows import local_midnight

MOST_CHARS = 600
"""So much of a question is looked at: what is asked stands near its beginning, and words take time to look for."""

_ELLIPTIC = {
    Language.ZH: re.compile(
        r"^\s*(?:那么?|还有|然后|再看看?|换成|至于)\s*|(?<!什么)(?<!怎么样)呢\s*[?？。!！]*\s*$"
    ),
    Language.EN: re.compile(
        r"^\s*(?:ok(?:ay)?,?\s+)?(?:and|what\s+about|how\s+about|then|also|same\s+for|but)\b"
        r"(?:\s+(?:what|how)\s+about\b)?"
    ),
}
_PRONOUN = {
    Language.ZH: re.compile(r"它|这个(?:项目|目标)?|那个(?:项目|目标)"),
    Language.EN: re.compile(r"\b(?:it|its|that\s+one|this\s+one|that\s+(?:project|goal))\b"),
}
_EMPTY = re.compile(
    rf"^[\s{GOAL}{TIME}?？。.!！,，]*(?:(?:the|in|for|on|的|是|and|about)\s*)*[\s{GOAL}{TIME}?？。.!！]*$"
)
_ABOUT_NO_GOAL = frozenset(
    {
        Intent.TODO_DETAIL,
        Intent.PR,
        Intent.CI,
        Intent.COVERAGE,
        Intent.SOURCE_READ,
        Intent.JUDGE,
        Intent.MINE,
        Intent.FIRST,
        Intent.PROJECTS,
        Intent.REVIEWS,
    }
)
_ABOUT_TWO = frozenset({Intent.COMPARE, Intent.ACT, Intent.JUDGE})


@dataclass(frozen=True, slots=True)
class Window:
    """Days that were named, as instants: [since, until), None where open."""

    since: datetime | None
    until: datetime | None


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, understood as far as goals and days go.

    `alike`: goals of which the asker has to choose one. `offered`: goals that were perhaps meant by `unknown`, a name
    that no goal has. `read_as`: the goal that a part of its name was taken for. `masked`: the plain text without the
    names of goals; `rest`: the text as it was written, without them and without days.
    """

    intent: Intent
    sure: bool
    text: str
    masked: str
    rest: str
    goals: tuple[GoalId, ...] = ()
    alike: tuple[GoalId, ...] = ()
    offered: tuple[GoalId, ...] = ()
    unknown: str | None = None
    read_as: GoalId | None = None
    window: Window | None = None
    person: str | None = None
    taken_over: tuple[TopicPart, ...] = ()

    def topic(self, person: str | None) -> Topic:
        """What a follow-up may inherit: structure alone."""
        window = self.window
        return Topic(
            intent=self.intent.value,
            goals=self.goals,
            person=person,
            since=None if window is None else window.since,
            until=None if window is None else window.until,
        )


def understand(
    turn: TurnInput,
    goals: Sequence[Row],
    recogniser: Recogniser,
    *,
    zone: tzinfo,
    sources: Iterable[str] = (),
    sprints: Sequence[Sprint] = (),
) -> Asked:
    """What a turn asks, given the goals and the titles of the sources that may be read here."""
    question = turn.question[:MOST_CHARS]
    found = resolve(question, goals)
    places = () if isinstance(found, NoGoal) else found.places
    text = plain(question)
    nameless = _masked(text, places, GOAL)
    days = days_of(nameless, day(turn.now, zone), sprints)
    masked = nameless if days is None else _masked(nameless, (days.place,), TIME)
    masked = _masked(masked, _titles_in(masked, sources), SOURCE)
    said = _ELLIPTIC[turn.language].sub("", masked).strip()
    elliptic = turn.topic is not None and (
        said != masked.strip() or _EMPTY.fullmatch(masked) is not None
    )
    recognised = recogniser.intent_of(said if elliptic else masked, turn.language)
    if elliptic and recognised is not None and not recognised.by_rule:
        recognised = None
    intent = Intent.OVERVIEW if recognised is None else recognised.intent
    if (
        isinstance(found, Named)
        and len(found.goals) == 2
        and not (recognised and recognised.by_rule)
    ):
        intent, recognised = Intent.COMPARE, Recognised(Intent.COMPARE, by_rule=False)
    asked = Asked(
        intent=intent,
        sure=recognised is not None,
        text=question,
        masked=nameless,
        rest=_rest(question, text, places, days),
        window=None if days is None else _window(days, zone),
    )
    if asked.intent is Intent.OVERVIEW and not elliptic and _bare(masked, places):
        asked = replace(asked, intent=Intent.PROGRESS, sure=True)
    asked = _with_goals(asked, turn, found, goals, masked)
    if turn.topic is not None:
        pronoun = _PRONOUN[turn.language].search(masked) is not None
        visible = {row.goal for row in goals}
        topic = replace(turn.topic, goals=tuple(g for g in turn.topic.goals if g in visible))
        asked = _followed(asked, topic, elliptic=elliptic, pronoun=pronoun)
    return asked


def _rest(question: str, text: str, places: Sequence[Place], days: Days | None) -> str:
    """The question in its own letters; where folding moved its places, the plain text."""
    cased = question if len(question) == len(text) else text
    nameless = _masked(cased, places, GOAL)
    return nameless if days is None else _masked(nameless, (days.place,), TIME)


def _bare(masked: str, places: Sequence[Place]) -> bool:
    """A goal's name and nothing else."""
    return bool(places) and _EMPTY.fullmatch(masked) is not None


def _with_goals(
    asked: Asked, turn: TurnInput, found: Resolution, goals: Sequence[Row], masked: str
) -> Asked:
    if turn.chosen is not None and any(row.goal == turn.chosen for row in goals):
        return replace(asked, goals=(turn.chosen,))
    match found:
        case Ambiguous(alike_goals):
            return replace(asked, alike=alike_goals)
        case Named(named) if len(named) == 1 or asked.intent in _ABOUT_TWO:
            return replace(asked, goals=named)
        case Named(named):
            return replace(asked, alike=named)
        case NoGoal():
            return _guessed(asked, goals, masked, turn.language)


def _guessed(asked: Asked, goals: Sequence[Row], masked: str, language: Language) -> Asked:
    """No name fits: what was called a goal is compared with the names there are."""
    if asked.intent in _ABOUT_NO_GOAL:
        return asked
    name = goal_named(masked, language, asked.intent)
    if name is None:
        return _by_part(asked, goals, masked, language)
    near = alike(name, goals)
    if not near:
        parts = [one for word in words_of(name, Language.ZH) for one in alike(word, goals)]
        return replace(asked, unknown=name, offered=tuple(dict.fromkeys(parts)))
    folded = plain(name)
    holds = [row for row in goals if row.goal in near and folded in plain(row.title)]
    if len({row.goal for row in holds}) > 1:
        return replace(asked, alike=near)
    if len(near) == 1 and holds and not any(map(str.isdigit, name)):
        return replace(asked, goals=near, read_as=near[0])
    return replace(asked, unknown=name, offered=near)


def _by_part(asked: Asked, goals: Sequence[Row], masked: str, language: Language) -> Asked:
    """A word of the question that is a word of a goal's name: of one goal, that is meant; of several, one of them."""
    if asked.intent not in ABOUT_A_GOAL:
        return asked
    for word in words_of(masked, language):
        near = tuple(goal for goal in alike(word, goals) if _is_word(word, goal, goals))
        if len(near) > 1:
            return replace(asked, alike=near)
        if near:
            return replace(asked, goals=near, read_as=near[0])
    return asked


def _is_word(word: str, goal: GoalId, goals: Sequence[Row]) -> bool:
    return any(row.goal == goal and word in plain(row.title) for row in goals)


def _followed(asked: Asked, topic: Topic, *, elliptic: bool, pronoun: bool) -> Asked:
    """What the question leaves out, from the topic; each part that is taken over is named."""
    taken: list[TopicPart] = []
    if elliptic and asked.intent is Intent.OVERVIEW and topic.intent in set(Intent):
        asked = replace(asked, intent=Intent(topic.intent), sure=True)
        taken.append(TopicPart.INTENT)
    named = asked.goals or asked.alike or asked.unknown
    if (elliptic or pronoun) and topic.goals and not named:
        asked = replace(asked, goals=topic.goals)
        taken.append(TopicPart.GOALS)
    if elliptic and topic.person is not None:
        asked = replace(asked, person=topic.person)
        taken.append(TopicPart.PERSON)
    if elliptic and asked.window is None and (topic.since or topic.until):
        asked = replace(asked, window=Window(topic.since, topic.until))
        taken.append(TopicPart.WINDOW)
    return replace(asked, taken_over=tuple(taken))


def _titles_in(masked: str, sources: Iterable[str]) -> list[Place]:
    """Where a source is named; of titles that overlap the longest."""
    folded = fold(masked)
    places = sorted(
        (place for title in sources for place in folded.find(title)),
        key=lambda place: place[0] - place[1],
    )
    kept: list[Place] = []
    for start, end in places:
        if all(end <= begins or start >= ends for begins, ends in kept):
            kept.append((start, end))
    return kept


def _masked(text: str, places: Sequence[Place], mark: str) -> str:
    for start, end in sorted(places, reverse=True):
        text = f"{text[:start]} {mark} {text[end:]}"
    return text


def _window(days: Days, zone: tzinfo) -> Window:
    return Window(
        None if days.first is None else local_midnight(days.first, zone),
        None if days.end is None else local_midnight(days.end, zone),
    )
