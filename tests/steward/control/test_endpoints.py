"""Which endpoint answers whom, and that each is asked of what it alone can say."""

import pytest

from steward.control.endpoints import Endpoints
from steward.model.audience import AudienceKind
from steward.model.turn import Rerun
from steward.testing.endpoint import ScriptedEndpoint

USUAL = ScriptedEndpoint({}, name="usual", rerun=Rerun.HARMLESS)
OWNERS = ScriptedEndpoint({}, name="owners", rerun=Rerun.NEVER)
BOTH = Endpoints(USUAL, {AudienceKind.OWNER_PRIVATE: OWNERS})


@pytest.mark.parametrize("kind", AudienceKind)
def test_the_owner_in_private_may_have_another_endpoint_than_everyone_else(
    kind: AudienceKind,
) -> None:
    assert BOTH.of(kind) is (OWNERS if kind is AudienceKind.OWNER_PRIVATE else USUAL)
    assert Endpoints(USUAL).of(kind) is USUAL


@pytest.mark.requirement("T5")
def test_only_an_endpoint_that_is_still_here_is_known_to_be_harmless() -> None:
    assert BOTH.harmless("usual")
    assert not BOTH.harmless("owners")
    assert not BOTH.harmless("one that is gone")
    assert BOTH.named("owners") is OWNERS
    assert BOTH.named("one that is gone") is None
    assert BOTH.named(None) is None
