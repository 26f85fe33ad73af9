"""Every text stands in both languages, says the same with the same placeholders, and names no code (W2, W5)."""

import importlib
import pkgutil
import re
import string
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum

import pytest

import steward.texts
from steward.model.action import ActionKind, ClickRefusal
from steward.model.approval import ApprovalRefusal
from steward.model.audience import DeclineReason, IgnoreReason
from steward.model.machine import PlanAction
from steward.model.profile import ProfileStatus, RuntimeProfile
from steward.model.reading import ContextCode, GateCode, RowStatus, SourceCode, View
from steward.model.turn import Language, TurnCode
from steward.policy.language import language_of
from steward.texts.answers import STATUSES, VIEWS
from steward.texts.approvals import REFUSED as NOT_OFFERED
from steward.texts.catalogue import Text
from steward.texts.notices import DECLINED, FAILED
from steward.texts.profile import ACTIONS, NAMES
from steward.texts.profile import STATUSES as PROFILE_STATUSES
from steward.texts.toasts import DONE, REFUSED

CODES: tuple[type[StrEnum], ...] = (
    TurnCode,
    GateCode,
    SourceCode,
    ContextCode,
    DeclineReason,
    ApprovalRefusal,
    IgnoreReason,
    ClickRefusal,
)


def texts() -> Iterator[tuple[str, Text]]:
    for module in pkgutil.iter_modules(steward.texts.__path__):
        loaded = importlib.import_module(f"steward.texts.{module.name}")
        for name, value in vars(loaded).items():
            for index, text in enumerate(within(value)):
                yield f"{module.name}.{name}[{index}]", text


def within(value: object) -> Iterator[Text]:
    if isinstance(value, Text):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from within(inner)
    elif isinstance(value, tuple | list | frozenset):
        for inner in value:
            yield from within(inner)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from within(getattr(value, field.name))


TEXTS = dict(texts())


def placeholders(text: str) -> list[str]:
    return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name is not None)


def words(text: str) -> str:
    return re.sub(r"\{[^{}]*\}", "", text)


def codes_in(text: str) -> set[str]:
    codes = {code.value for codes in CODES for code in codes if "_" in code.value}
    return codes & set(re.findall(r"[a-z]+(?:_[a-z]+)+", words(text)))


def test_the_whole_catalogue_is_looked_at() -> None:
    modules = {name.split(".")[0] for name in TEXTS}

    assert modules >= {"answers", "coverage", "failures", "notices"}
    assert len(TEXTS) > 100


@pytest.mark.requirement("W5")
def test_a_text_has_the_same_placeholders_in_both_languages() -> None:
    assert [
        name
        for name, text in TEXTS.items()
        if set(placeholders(text.zh)) != set(placeholders(text.en)) or "" in placeholders(text.zh)
    ] == []


@pytest.mark.requirement("W5")
def test_a_text_is_chinese_on_one_side_and_english_on_the_other() -> None:
    assert [
        name
        for name, text in TEXTS.items()
        if language_of(text.en) is Language.ZH
        or (re.search("[A-Za-z]", words(text.en)) and language_of(text.zh) is Language.EN)
    ] == []


@pytest.mark.requirement("W2")
def test_no_text_names_a_code() -> None:
    assert [name for name, text in TEXTS.items() if codes_in(text.zh) | codes_in(text.en)] == []


@pytest.mark.requirement("W1")
def test_no_text_for_people_speaks_of_no_progress() -> None:
    tools_only = {name for name in TEXTS if name.startswith("failures.EFFECT_")}

    assert [
        name
        for name, text in TEXTS.items()
        if name not in tools_only and ("没有进展" in text.zh or "no progress" in text.en.lower())
    ] == []


@pytest.mark.requirement("W2", "T6")
@pytest.mark.parametrize(
    ("table", "codes"),
    [
        (FAILED, TurnCode),
        (DECLINED, DeclineReason),
        (NOT_OFFERED, ApprovalRefusal),
        (STATUSES, RowStatus),
        (VIEWS, View),
        (REFUSED, ClickRefusal),
        (DONE, ActionKind),
        (NAMES, RuntimeProfile),
        (PROFILE_STATUSES, ProfileStatus),
        (ACTIONS, PlanAction),
    ],
)
def test_every_code_has_its_words(table: Mapping[StrEnum, object], codes: type[StrEnum]) -> None:
    assert set(table) == set(codes)
