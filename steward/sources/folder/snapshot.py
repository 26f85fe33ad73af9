"""One look at the folder → the answer to one query: its rows, and a gap for whatever is missing from them."""

from collections import Counter
from collections.abc import Iterable, Iterator

from steward.model.ids import GoalId, SourceId
from steward.model.reading import ReadFailure, Row, Snapshot, SourceCode, SourceQuery, View
from steward.reading.windows import within
from steward.sources.folder.loader import Folder
from steward.sources.folder.records import GoalFile, Records

MAX_ROWS = 20_000


def snapshot(folder: Folder, query: SourceQuery, source: SourceId) -> Snapshot | ReadFailure:
    """The whole answer. A folder in which every file failed was not read at all."""
    failures = [
        ReadFailure(failure.code, source, failure.goal, count)
        for failure, count in Counter(folder.failures).items()
    ]
    if failures and not folder.goals:
        return ReadFailure(failures[0].code, source, count=len(folder.failures))
    asked = {goal: file for goal, file in folder.goals.items() if query.goal in {None, goal}}
    gaps = [gap for gap in failures if gap.goal is None or query.goal in {None, gap.goal}]
    if not folder.goals:
        gaps.append(ReadFailure(SourceCode.NOT_CONFIGURED, source))
    if folder.omitted:
        gaps.append(ReadFailure(SourceCode.TRUNCATED, source, count=folder.omitted))
    for goal, file in asked.items():
        gaps += _gaps(file, query.view, source, goal)
    rows = [row for file in asked.values() for row in _rows(file, query)]
    if len(rows) > MAX_ROWS:
        gaps.append(ReadFailure(SourceCode.TRUNCATED, source, count=len(rows) - MAX_ROWS))
    times = {goal: folder.times[goal] for goal in asked}
    return Snapshot(
        rows=rows[:MAX_ROWS],
        goals={goal: file.goal for goal, file in folder.goals.items()},
        as_of=min(times.values(), default=folder.modified),
        revision=folder.revision,
        complete=not gaps,
        gaps=tuple(gaps),
        goal_as_of=dict(folder.times),
    )


def _rows(file: GoalFile, query: SourceQuery) -> Iterable[Row]:
    if query.view is View.PORTFOLIO:
        return (file.goal,)
    rows = file.lists.get(query.view, Records()).rows
    if query.view is View.DELIVERIES:
        return [
            row for row in rows if row.at is not None and within(row.at, query.since, query.until)
        ]
    if query.request_id is not None:
        return [row for row in rows if row.id == query.request_id]
    return rows


def _gaps(file: GoalFile, view: View, source: SourceId, goal: GoalId) -> Iterator[ReadFailure]:
    """What keeps this goal's list of the view from being whole."""
    if view is View.PORTFOLIO:
        if file.goal.raw_status is not None:
            yield ReadFailure(SourceCode.CONTRACT_CHANGED, source, goal, view=view)
        return
    found = file.lists.get(view)
    if file.misspelt:
        yield ReadFailure(SourceCode.PARSE_FAILED, source, goal, len(file.misspelt))
    if found is None:
        yield ReadFailure(SourceCode.NOT_CONFIGURED, source, goal, view=view)
        return
    if found.dropped:
        yield ReadFailure(SourceCode.PARSE_FAILED, source, goal, found.dropped, view=view)
    if found.unmapped:
        yield ReadFailure(SourceCode.CONTRACT_CHANGED, source, goal, found.unmapped, view=view)
