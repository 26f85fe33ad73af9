"""Card JSON 2.0 as a table: what each part may hold, what it must, and what stands inside it.

Data only; cards.py walks it. From the platform's reference of the components.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Shape:
    """`own` are plain properties, `inside` those that hold parts of another kind, `lists` of them arrays."""

    own: frozenset[str]
    inside: Mapping[str, str] = field(default_factory=dict)
    lists: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()

    @property
    def known(self) -> frozenset[str]:
        return self.own | frozenset(self.inside)


def _shape(
    own: str, inside: Mapping[str, str] | None = None, *, lists: str = "", needs: str = ""
) -> Shape:
    return Shape(
        frozenset(own.split()), inside or {}, frozenset(lists.split()), frozenset(needs.split())
    )


_ELEMENT = "tag element_id margin "
_FLOW = "direction padding horizontal_spacing horizontal_align vertical_spacing vertical_align "
_ELEMENTS = {"elements": "element"}
_TEXT = "tag element_id content i18n_content text_size text_color text_align lines"

SHAPES: Mapping[str, Shape] = {
    "card": _shape(
        "schema card_link",
        {"config": "config", "header": "header", "body": "body"},
    ),
    "config": _shape(
        "streaming_mode streaming_config locales enable_forward update_multi width_mode"
        " use_custom_translation enable_forward_interaction style",
        {"summary": "summary"},
    ),
    "summary": _shape("content i18n_content"),
    "header": _shape(
        "template padding i18n_text_tag_list",
        {"title": "text", "subtitle": "text", "text_tag_list": "text_tag", "icon": "icon"},
        lists="text_tag_list",
        needs="title",
    ),
    "text_tag": _shape("tag element_id color", {"text": "text"}),
    "body": _shape(_FLOW, _ELEMENTS, lists="elements"),
    "icon": _shape("tag token color img_key size"),
    "plain_text": _shape(_TEXT, needs="content"),
    "lark_md": _shape(_TEXT, needs="content"),
    "markdown": _shape(
        _ELEMENT + "content i18n_content text_size text_align text_color",
        {"icon": "icon"},
        needs="content",
    ),
    "div": _shape(_ELEMENT + "width", {"text": "text", "icon": "icon"}),
    "hr": _shape(_ELEMENT),
    "img": _shape(
        _ELEMENT + "img_key corner_radius scale_type size transparent preview",
        {"alt": "text", "title": "text"},
        needs="img_key",
    ),
    "button": _shape(
        _ELEMENT + "type size width disabled name required form_action_type",
        {
            "text": "text",
            "icon": "icon",
            "hover_tips": "text",
            "disabled_tips": "text",
            "confirm": "confirm",
            "behaviors": "behavior",
        },
        lists="behaviors",
    ),
    "confirm": _shape("", {"title": "text", "text": "text"}),
    "behavior": _shape(
        "type value default_url android_url ios_url pc_url behavior_type", needs="type"
    ),
    "collapsible_panel": _shape(
        _ELEMENT + _FLOW + "expanded background_color",
        {**_ELEMENTS, "header": "panel_header", "border": "border"},
        lists="elements",
        needs="header",
    ),
    "panel_header": _shape(
        "background_color vertical_align padding position width icon_position icon_expanded_angle",
        {"title": "text", "icon": "icon"},
        needs="title",
    ),
    "border": _shape("color corner_radius"),
    "column_set": _shape(
        _ELEMENT + "horizontal_align horizontal_spacing flex_mode background_style action",
        {"columns": "column"},
        lists="columns",
    ),
    "column": _shape(
        _ELEMENT + _FLOW + "background_style width weight action", _ELEMENTS, lists="elements"
    ),
    "interactive_container": _shape(
        _ELEMENT
        + _FLOW
        + "width height background_style has_border border_color corner_radius disabled",
        {
            **_ELEMENTS,
            "behaviors": "behavior",
            "hover_tips": "text",
            "disabled_tips": "text",
            "confirm": "confirm",
        },
        lists="elements behaviors",
    ),
    "table": _shape(
        _ELEMENT + "page_size row_height row_max_height freeze_first_column header_style rows",
        {"columns": "table_column"},
        lists="columns",
        needs="columns",
    ),
    "table_column": _shape(
        "name display_name width horizontal_align vertical_align data_type format date_format",
        needs="name",
    ),
}

TEXT_TAGS = frozenset(["lark_md", "plain_text"])
"""What may stand where a component wants a text."""

ELEMENT_TAGS = frozenset(
    [
        *("button", "collapsible_panel", "column_set", "div", "hr", "img"),
        *("interactive_container", "markdown", "table"),
    ]
)
"""The elements that are checked property by property."""

OTHER_TAGS = frozenset(
    [
        *("audio", "chart", "checker", "form", "img_combination", "input", "overflow"),
        *("person", "person_list", "date_picker", "picker_time", "picker_datetime", "select_img"),
        *("select_static", "multi_select_static", "select_person", "multi_select_person"),
    ]
)
"""Elements of the reference that no card of ours uses."""

GONE = frozenset(["action", "note"])
"""Elements that only the old schema has."""
