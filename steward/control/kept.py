"""What a review reads: what its turn has read, and nothing else. Contract V3.

Above: reviews, which hand it to the endpoint in the gate's place. Below: readings as they were stored. No source is
opened, so nothing here can fail, grow or change.
"""

from collections.abc import Sequence

from steward.control.outcomes import Refused, refused_reading, scan_of
from steward.model.reading import (
    GateCode,
    ReadFailure,
    Reading,
    Scan,
    ScanQuery,
    ToolCall,
    ToolResult,
)
from steward.reading.failures import refusal
from steward.reading.pages import dumps

_NOTHING_NEW = ReadFailure(GateCode.READ_TOOL_UNAVAILABLE)


class KeptReader:
    """The Reader of one review. A scan that was made before is given again; every other read is refused."""

    def __init__(self, readings: Sequence[Reading]) -> None:
        self._readings = tuple(readings)

    async def call(self, call: ToolCall) -> ToolResult:
        """Refused: the results of the turn's calls are with the review already."""
        return ToolResult(dumps(refusal(_NOTHING_NEW)), ok=False)

    async def scan(self, query: ScanQuery) -> Scan:
        """The same rows under the same citations, where this very query was read."""
        for reading in self._readings:
            if reading.query == query:
                return scan_of(reading)
        return scan_of(refused_reading("scan", query, Refused(_NOTHING_NEW)))
