"""Which endpoint answers which audience: the configured one, and another before the owner in private where one is set."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from steward.model.audience import AudienceKind
from steward.model.turn import Rerun
from steward.ports.endpoint import Endpoint


@dataclass(frozen=True, slots=True)
class Endpoints:
    """`others` answer their own audience kinds, `usual` every other."""

    usual: Endpoint
    others: Mapping[AudienceKind, Endpoint] = field(default_factory=dict)

    def of(self, kind: AudienceKind) -> Endpoint:
        """Who answers before this audience."""
        return self.others.get(kind, self.usual)

    def named(self, name: str | None) -> Endpoint | None:
        """The endpoint of that name; None: there is none any more, or nothing can be said of it."""
        for endpoint in (self.usual, *self.others.values()):
            if endpoint.name == name:
                return endpoint
        return None

    def harmless(self, name: str) -> bool:
        """Known to be harmless: an endpoint that is still here, which says so of itself (T5)."""
        endpoint = self.named(name)
        return endpoint is not None and endpoint.rerun is Rerun.HARMLESS
