"""Evidence that every question of the tests has something to find in, and the way from a question to what is read.

Two sources; seven goals, two of one name's family ("Release 2", "Release 2.1"); it is noon on Monday 2026-11-30 in Shanghai.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from steward.control.endings import resolved_goal
from steward.endpoints.reporter.reporter import Reporter
from steward.model.answer import Answer, Judged, Outgoing
from steward.model.ids import GoalId, SourceId
from steward.model.profile import RESTRICTED_DEFAULT
from steward.model.reading import Reading, Row, RowStatus, View
from steward.model.topic import Topic
from steward.model.turn import Candidate, Language, Seat, Thread, TurnInput
from steward.policy.answer_rules import settle
from steward.policy.judge import judge
from steward.policy.language import language_of
from steward.policy.presentation import present
from steward.reading.coverage import footer
from steward.testing.source import Scene
from tests.steward.policy.readings import GITLAB, NOW, PLANS, ZONE, Evidence, held, local

X, Y, RELEASE, POINT = GoalId("x"), GoalId("y"), GoalId("release-2"), GoalId("release-2.1")
LOGIN, BILLING, PAYMENTS = GoalId("login-rework"), GoalId("billing"), GoalId("payments")
TODO = "todo_386976ec9aae"
MAPPED = ("Li", "小李")


def goal(of: GoalId, title: str, *aliases: str, target: date | None = None) -> Row:
    return Row(
        View.PORTFOLIO,
        PLANS,
        of,
        of,
        title,
        RowStatus.ACTIVE,
        owner="Lin",
        aliases=aliases,
        target=target,
    )


GOALS = [
    goal(X, "X", target=date(2026, 12, 20)),
    goal(Y, "Y"),
    goal(RELEASE, "Release 2", "发布 2", target=date(2026, 12, 15)),
    goal(POINT, "Release 2.1", "发布 2.1"),
    goal(LOGIN, "Login rework", "登录改造"),
    goal(BILLING, "Billing gateway", "计费网关"),
    goal(PAYMENTS, "Payment gateway", "支付网关"),
]


def todos(of: GoalId) -> list[Row]:
    """Of each goal one todo that is blocked and late, one under way, one done last week, one long untouched."""

    def todo(name: str, title: str, status: RowStatus, owner: str) -> Row:
        return Row(
            View.TODOS, PLANS, of, f"{of}_{name}", title, status, owner=owner, updated=local(26)
        )

    return [
        replace(
            todo("sign", f"Sign {of}", RowStatus.BLOCKED, "Wei"),
            priority="P1",
            due=date(2026, 11, 25),
            blocked_by="no test account",
            waiting_on="Lin",
        ),
        replace(
            todo("rates", f"Rates {of}", RowStatus.DOING, "小李"),
            priority="P2",
            due=date(2026, 12, 8),
        ),
        todo("keys", f"Keys {of}", RowStatus.DONE, "Li"),
        replace(todo("old", f"Old {of}", RowStatus.OPEN, "Li"), updated=local(3)),
    ]


def delivery(of: GoalId, name: str, at: datetime, owner: str) -> Row:
    return Row(
        View.DELIVERIES,
        PLANS,
        of,
        f"{of}_{name}",
        f"{name.capitalize()} {of}",
        RowStatus.DELIVERED,
        owner=owner,
        at=at,
        link=f"https://example.com/{of}/pull/42" if name == "refunds" else None,
    )


def handoff(of: GoalId, status: RowStatus) -> Row:
    return Row(
        View.HANDOFFS,
        PLANS,
        of,
        f"{of}_{status.value}",
        f"Review plan {of}",
        status,
        owner="Wei",
        to="QA",
        at=local(26),
    )


def rows() -> list[Row]:
    found = list(GOALS)
    for of in (X, Y, RELEASE, LOGIN, BILLING, PAYMENTS):
        found += todos(of)
        found += [
            delivery(of, "refunds", local(27), "Wei"),
            delivery(of, "ledger", local(25), "小李"),
            delivery(of, "today", local(30), "Li"),
            handoff(of, RowStatus.OPEN),
            handoff(of, RowStatus.ACCEPTED),
        ]
    found.append(
        Row(View.TODOS, PLANS, X, TODO, "Callback signature", RowStatus.DOING, owner="Wei")
    )
    return found


def issues() -> list[Row]:
    """What the second source holds: one goal that the first has as well."""
    return [
        replace(goal(X, "X"), source=GITLAB),
        replace(todos(X)[1], source=GITLAB, id="issue_7", title="Gitlab issue"),
    ]


FULL: Mapping[SourceId, Scene] = {PLANS: held(*rows()), GITLAB: held(*issues())}


@dataclass(frozen=True)
class Told:
    """What came of a question: the answer, what its reader sees, and what was read for it."""

    answer: Answer
    outgoing: Outgoing
    readings: Sequence[Reading]
    raw: bytes

    @property
    def texts(self) -> list[str]:
        return [claim.text for claim in self.answer.claims]

    @property
    def views(self) -> set[View]:
        return {reading.query.view for reading in self.readings if reading.query is not None}

    @property
    def seen(self) -> str:
        """Everything that a reader may see, evidence and details too."""
        sent = self.outgoing
        lines = [sent.headline, *(claim.text for claim in sent.claims), sent.coverage or ""]
        lines += [*sent.details, *(source.text for source in sent.sources)]
        return "\n".join(lines)


REPORTER = Reporter(ZONE)


async def tell(
    question: str,
    evidence: Evidence,
    *,
    asker_names: tuple[str, ...] = MAPPED,
    topic: Topic | None = None,
    chosen: GoalId | None = None,
    language: Language | None = None,
    reporter: Reporter = REPORTER,
) -> Told:
    """A question through gate, reporter, judge, answer rules and presentation."""
    language = language or language_of(question)
    turn = TurnInput(question, language, str(ZONE), NOW, asker_names, topic, chosen)
    thread = await reporter.open(
        Seat(RESTRICTED_DEFAULT, language, "restricted-1"), resume=None, history=()
    )
    assert isinstance(thread, Thread)
    candidate = await reporter.answer(thread, turn, evidence, deadline=NOW + timedelta(seconds=60))
    assert isinstance(candidate, Candidate)
    judged = judge(candidate.raw)
    assert isinstance(judged, Judged), judged
    answer = settle(
        judged,
        language=language,
        scope=evidence.scope,
        titles=evidence.titles,
        readings=evidence.readings,
        coverage=footer(
            evidence.scope, evidence.titles, evidence.readings, resolved_goal(evidence.readings)
        ),
        zone=ZONE,
        now=NOW,
        question=question,
        asker_names=asker_names,
    )
    outgoing = present(answer, asked_at=NOW, now=NOW, zone=ZONE)
    return Told(answer, outgoing, tuple(evidence.readings), candidate.raw)


async def ask(question: str, holdings: Mapping[SourceId, Scene] = FULL) -> Told:
    """The usual way: as somebody whose names are known, with nothing said before."""
    return await tell(question, Evidence(holdings))
