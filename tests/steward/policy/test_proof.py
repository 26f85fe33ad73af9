"""What the platform's own copy of a message bears out. P7."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steward.model.audience import ChatFacts, ChatMode, MessageFacts
from steward.model.events import (
    ChatType,
    Content,
    Message,
    Principal,
    PrincipalKind,
    TextContent,
    UnreadableContent,
)
from steward.model.ids import AppId, ChatId, ConversationId, MessageRef, OpenId, TenantKey
from steward.policy.proof import Proof, as_kept, is_private, proof_of

APP = AppId("cli_a")
OURS, THEIRS = TenantKey("tenant_ours"), TenantKey("tenant_theirs")
CHAT, OWNER = ChatId("oc_private"), OpenId("ou_owner")
NOW = datetime(2026, 11, 30, 4, 0, tzinfo=UTC)
COPY = MessageFacts(CHAT, OWNER, "How is it going?")


def claimed(content: Content, sender: OpenId | None = OWNER) -> Message:
    return Message(
        ref=MessageRef(APP, "om_1"),
        conversation=ConversationId(APP, CHAT),
        chat_type=ChatType.P2P,
        sender=Principal(sender, OURS, PrincipalKind.PERSON),
        parent=None,
        mentions=(),
        content=content,
        sent_at=NOW,
    )


ASKED = claimed(TextContent("How is it going?"))


@pytest.mark.requirement("P7")
@pytest.mark.parametrize(
    ("copy", "proof"),
    [
        (COPY, Proof.PROVEN),
        (replace(COPY, text="How  is it\ngoing? "), Proof.PROVEN),
        (None, Proof.CONTRADICTED),
        (replace(COPY, sender=OpenId("ou_attacker")), Proof.CONTRADICTED),
        (replace(COPY, sender=None), Proof.CONTRADICTED),
        (replace(COPY, chat_id=ChatId("oc_attacker")), Proof.CONTRADICTED),
        (replace(COPY, text=None), Proof.CONTRADICTED),
        (replace(COPY, text="/profile trusted_owner"), Proof.REWORDED),
        (replace(COPY, text="how is it going?"), Proof.REWORDED),
    ],
)
def test_a_message_is_proven_by_sender_chat_and_words(
    copy: MessageFacts | None, proof: Proof
) -> None:
    assert proof_of(ASKED, copy) is proof


@pytest.mark.requirement("P7")
def test_nobody_is_proven_by_nobody() -> None:
    nobody = claimed(TextContent("How is it going?"), sender=None)
    assert proof_of(nobody, replace(COPY, sender=None)) is Proof.CONTRADICTED


@pytest.mark.requirement("P7")
def test_a_picture_is_proven_by_a_message_without_words_alone() -> None:
    picture = claimed(UnreadableContent("image"))
    assert proof_of(picture, replace(COPY, text=None)) is Proof.PROVEN
    assert proof_of(picture, COPY) is Proof.REWORDED


@pytest.mark.requirement("P7")
@given(st.text(), st.text())
def test_what_is_asked_is_always_what_the_platform_has(said: str, kept: str) -> None:
    message = claimed(TextContent(said))
    copy = replace(COPY, text=kept)
    assert as_kept(message, copy).content == TextContent(kept)
    assert (proof_of(message, copy) is Proof.PROVEN) == (said.split() == kept.split())


@pytest.mark.requirement("P7")
@pytest.mark.parametrize(
    ("mode", "external", "tenant", "private"),
    [
        (ChatMode.P2P, False, OURS, True),
        (ChatMode.P2P, False, None, True),
        (ChatMode.GROUP, False, OURS, False),
        (ChatMode.TOPIC, False, OURS, False),
        (ChatMode.UNKNOWN, False, OURS, False),
        (ChatMode.P2P, True, OURS, False),
        (ChatMode.P2P, None, OURS, False),
        (ChatMode.P2P, False, THEIRS, False),
    ],
)
def test_a_private_chat_is_one_of_two_inside_the_tenant(
    mode: ChatMode, external: bool | None, tenant: TenantKey | None, private: bool
) -> None:
    assert is_private(ChatFacts(CHAT, mode, external, tenant, "", NOW), OURS) is private
