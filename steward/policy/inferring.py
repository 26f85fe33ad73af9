"""What a claim without a scope speaks of: its view by its words or its rows, its goal by its rows or the turn's.

Only a guess at the subject. What is then said of that subject is written by code from what was read of it, so that
a wrong guess makes a sentence that is beside the point, never one that is false.
"""

import re
from collections.abc import Sequence

from steward.model.answer import ClaimScope
from steward.model.ids import GoalId
from steward.model.reading import Row, RowStatus, View
from steward.policy.basis import Basis
from steward.policy.drafts import Draft
from steward.policy.quotes import rows_of
from steward.policy.scoping import UNFINISHED
from steward.policy.wording import day
from steward.reading.windows import local_midnight

_BLOCKED = re.compile(
    r"受阻|阻塞|阻碍|阻力|卡点|堵点|障碍|风险|问题|困难|\b(?:block|impediment|obstacle|risk|problem|concern|in the way)",
    re.IGNORECASE,
)
_OVERDUE = re.compile(r"逾期|超期|过期|延期|延误|拖延|\b(?:overdue|late|delay)", re.IGNORECASE)
_HANDOFFS = re.compile(r"交接|\bhand-?(?:off|over)", re.IGNORECASE)
_DELIVERIES = re.compile(
    r"交付|发布|上线|合并|提交|产出|产物|成果|进展|进度|推进|动静|动作|动向|变化|变动|改动|变更|更新|活动|起色|汇报"
    r"|平静|安静|沉寂|寂静|停滞|停摆|静|原地|死水|照旧|如常|老样子|一样"
    r"|\b(?:deliver|ship|merge|releas|land|commit|push|pull request|prs?\b|progress|updat|chang|mov|activit|action|quiet"
    r"|silen|idle|inactive|dormant|stagna|still|standstill|unchanged|uneventful|happen|develop|momentum|report|news)",
    re.IGNORECASE,
)
_TODOS = re.compile(
    r"待办|任务|事项|工作|工单|剩|遗留|事|\b(?:todo|task|ticket|item|issue|work|left|remain|outstanding|pending|open)",
    re.IGNORECASE,
)
_GOALS = re.compile(r"目标|\bgoals?\b", re.IGNORECASE)


def scope_of(draft: Draft, words: str, basis: Basis) -> ClaimScope | None:
    """The scope that a claim carries, or the one that its words and rows suggest; None: nothing suggests any."""
    if draft.claim.scope is not None:
        return draft.claim.scope
    rows = rows_of(draft, basis)
    goal = _goal(rows, basis)
    if _HANDOFFS.search(words):
        return ClaimScope(View.HANDOFFS, goal=goal, statuses=(RowStatus.OPEN,))
    if _OVERDUE.search(words):
        midnight = local_midnight(day(basis.now, basis.zone), basis.zone)
        return ClaimScope(View.TODOS, goal=goal, until=midnight, statuses=UNFINISHED)
    if _BLOCKED.search(words):
        return ClaimScope(View.TODOS, goal=goal, statuses=(RowStatus.BLOCKED,))
    if _DELIVERIES.search(words):
        return ClaimScope(View.DELIVERIES, goal=goal)
    if _TODOS.search(words):
        return ClaimScope(View.TODOS, goal=goal, statuses=UNFINISHED)
    if _GOALS.search(words):
        return ClaimScope(View.PORTFOLIO, statuses=(RowStatus.ACTIVE,))
    views = {row.view for row in rows}
    return ClaimScope(views.pop(), goal=goal) if len(views) == 1 else None


def listed_in(draft: Draft, words: str, basis: Basis) -> ClaimScope:
    """What "all" ranges over: the view that the words name, or that of the rows; todos where neither says."""
    rows = rows_of(draft, basis)
    goal, scope = _goal(rows, basis), draft.claim.scope
    if scope is not None and scope.view in {View.TODOS, View.HANDOFFS, View.PORTFOLIO}:
        return ClaimScope(scope.view, scope.goal, scope.source, scope.since, scope.until)
    if _HANDOFFS.search(words):
        return ClaimScope(View.HANDOFFS, goal=goal)
    if _GOALS.search(words) and not _TODOS.search(words):
        return ClaimScope(View.PORTFOLIO)
    if {row.view for row in rows} == {View.HANDOFFS}:
        return ClaimScope(View.HANDOFFS, goal=goal)
    return ClaimScope(View.TODOS, goal=goal)


def _goal(rows: Sequence[Row], basis: Basis) -> GoalId | None:
    """The one goal of the rows cited; without rows, the one that every narrowed read of the turn named."""
    goals = {row.goal for row in rows}
    if not rows:
        queries = [reading.query for reading in basis.readings if reading.query is not None]
        goals = {query.goal for query in queries if query.goal is not None}
    return goals.pop() if len(goals) == 1 else None
