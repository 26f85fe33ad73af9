"""A text in both languages. Both mean the same (W5); placeholders are named, and the same in both."""

from dataclasses import dataclass

from steward.model.turn import Language


@dataclass(frozen=True, slots=True)
class Text:
    """One sentence or label. Placeholders in braces are filled by `format`."""

    zh: str
    en: str

    def of(self, language: Language) -> str:
        """The text as it stands, without filling placeholders."""
        return self.zh if language is Language.ZH else self.en

    def format(self, language: Language, **values: str | int) -> str:
        """The text with its placeholders filled; a missing one raises KeyError."""
        return self.of(language).format(**values)


@dataclass(frozen=True, slots=True)
class FailureText:
    """`label` stands in brackets behind a source's title; `happened` and `action` are whole sentences."""

    label: Text
    happened: Text
    action: Text
