"""Which words are a command, which only look like one, and which are a question. Contract A4."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from steward.model.command import Command, CommandName, UnknownCommand
from steward.policy.commands import command_in, command_of, is_urgent
from steward.texts.commands import COMMANDS

SLASH = "\uff0f"


@pytest.mark.parametrize("name", CommandName)
def test_every_command_is_known_by_all_its_names(name: CommandName) -> None:
    text = COMMANDS[name]
    assert text.zh
    assert text.en
    for word in (*text.zh, *text.en):
        assert command_of(f"/{word}") == Command(name)


def test_no_two_commands_share_a_name() -> None:
    names = [name for text in COMMANDS.values() for name in (*text.zh, *text.en)]
    assert len(names) == len(set(names))
    assert set(COMMANDS) == set(CommandName)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("/HELP", CommandName.HELP),
        ("  /help  ", CommandName.HELP),
        (f"{SLASH}帮助", CommandName.HELP),
        (f"{SLASH}Help", CommandName.HELP),
        ("/\uff28\uff25\uff2c\uff30", CommandName.HELP),
        ("/help!", CommandName.HELP),
        ("/停止。", CommandName.STOP),
        ("/\u200bstop", CommandName.STOP),
        ("\u202e/stop", CommandName.STOP),
        ("/s\u200dtop", CommandName.STOP),
        ("\u3000/新对话", CommandName.NEW),
        ("/new\nnow", CommandName.NEW),
    ],
)
def test_a_command_is_known_however_it_is_written(text: str, name: CommandName) -> None:
    found = command_of(text)
    assert isinstance(found, Command)
    assert found.name is name


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("/grant oc_a plans", ("oc_a", "plans")),
        ("/授权\u3000oc_a\u3000plans", ("oc_a", "plans")),
        ('/grant "The team" plans', ("The team", "plans")),
        ("/grant “支付 团队” plans", ("支付 团队", "plans")),
        ("/我叫 「小 林」", ("小 林",)),
        ("/iam O'Brien", ("O'Brien",)),
        ('/grant "open end', ('"open', "end")),
        ('/grant "" x', ("x",)),
    ],
)
def test_arguments_stand_between_blanks_and_quotes_keep_theirs(
    text: str, arguments: tuple[str, ...]
) -> None:
    found = command_of(text)
    assert isinstance(found, Command)
    assert found.arguments == arguments


@pytest.mark.requirement("A4")
@pytest.mark.parametrize(
    "text",
    ["/halp", "/stopp", "/help/status", "/usr/bin/env", "/开始", f"{SLASH}x", "/é", "/st op"],
)
def test_what_looks_like_a_command_is_one_that_is_not_known(text: str) -> None:
    assert isinstance(command_of(text), UnknownCommand)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "/",
        "//",
        "//help",
        "/ help",
        "1/2 done?",
        "/2",
        "what is in /etc/passwd",
        "help",
        "@Lin /help",
        "is /stop safe?",
        "支付网关怎么样了？",
    ],
)
def test_everything_else_is_ordinary_words(text: str) -> None:
    assert command_of(text) is None


@given(st.text())
@example("/\ud800")
@example("/" + "x" * 10_000)
def test_no_text_raises(text: str) -> None:
    command_of(text)
    is_urgent(command_in(text))


@pytest.mark.requirement("A4")
@given(
    st.sampled_from(["/", SLASH]),
    st.characters(categories=["Lu", "Ll", "Lo"]).filter(lambda one: one.isprintable()),
    st.text(),
)
def test_no_text_with_a_slash_and_a_letter_becomes_a_question(
    slash: str, letter: str, rest: str
) -> None:
    if letter in "\u115f\u1160\u17b4\u17b5\u3164\uffa0":
        return  # blank letters, which nobody sees
    assert command_of(slash + letter + rest) is not None


def test_a_word_that_is_no_command_is_kept_short() -> None:
    found = command_of("/" + "x" * 500)
    assert isinstance(found, UnknownCommand)
    assert len(found.word) <= 40


@pytest.mark.parametrize(
    "text", ["/stop", "/new", "@_user_1 /stop", f" @_user_12 {SLASH}停止", "/新会话", "/STOP now"]
)
def test_what_stops_or_starts_afresh_is_urgent(text: str) -> None:
    assert is_urgent(command_in(text))


@pytest.mark.parametrize(
    "text", ["/help", "stop", "/stopped", "please /stop", "@Lin /stop", "http://a/stop", ""]
)
def test_nothing_else_is_urgent(text: str) -> None:
    assert not is_urgent(command_in(text))
