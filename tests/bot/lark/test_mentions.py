from bot.lark.mentions import mentions
from bot.lark.payloads import MentionId, MentionPayload
from steward.model.events import Mention
from steward.model.ids import OpenId


def _listed(key: str, identity: MentionId | str | None, name: str = "Lin") -> MentionPayload:
    return MentionPayload(key=key, id=identity, name=name)


def test_an_identity_is_read_from_an_object_and_from_a_string() -> None:
    listed = [
        _listed("@_user_1", MentionId(open_id="ou_1")),
        _listed("@_user_2", "ou_2"),
    ]
    assert mentions(listed, "@_user_1 @_user_2") == (
        Mention("@_user_1", OpenId("ou_1"), "Lin"),
        Mention("@_user_2", OpenId("ou_2"), "Lin"),
    )


def test_whoever_has_no_open_id_is_nobody_we_know() -> None:
    listed = [
        _listed("@_user_1", None),
        _listed("@_user_2", MentionId()),
        _listed("@_user_3", MentionId(open_id="")),
        _listed("@_user_4", "cli_another_app"),
    ]
    assert [each.open_id for each in mentions(listed, "")] == [None] * 4


def test_everyone_is_nobodys_mention_listed_or_not() -> None:
    listed = [_listed("@_all", MentionId(open_id="ou_steward"), "所有人")]
    assert mentions(listed, "@_all hello") == (Mention("@_all", None, "所有人", everyone=True),)
    assert mentions([], "@_all hello") == (Mention("@_all", None, "all", everyone=True),)
    assert mentions([_listed("@_user_1", "all")], "") == (
        Mention("@_user_1", None, "Lin", everyone=True),
    )


def test_a_message_without_mentions_has_none() -> None:
    assert mentions([], "all of it") == ()
    assert mentions([_listed("", MentionId(open_id="ou_1"))], "") == ()
