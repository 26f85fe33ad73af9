from datetime import timedelta

import pytest

from bot.lark.calls import Operation
from bot.lark.errors import FailureClass, LarkFailure, refusal, unreadable

ANY = Operation.CREATE_MESSAGE


@pytest.mark.parametrize(
    ("kind", "codes"),
    [
        (FailureClass.RATE_LIMITED, (99991400, 230020, 11232, 11233, 11247)),
        (FailureClass.AMBIGUOUS, (230049, 18121, 231015, 2200, 1500, 1663, 5000, 10101, 300120)),
        (FailureClass.TOKEN, (99991663, 99991664, 99991665, 99991668, 99991671, 99991661)),
        (FailureClass.QUOTA, (99991403,)),
        (FailureClass.APP_REFUSED, (99991672, 99991679, 99991401, 99991662, 99991673, 230006)),
        (FailureClass.PERMISSION, (230027, 232033)),
        (FailureClass.TARGET_GONE, (230011, 231003, 230110, 230050, 230019, 18113)),
        (FailureClass.CHAT_GONE, (230002, 10030, 10002, 232009, 232006, 232010, 232011)),
        (FailureClass.CHAT_CLOSED, (230013, 230053, 230029, 230018, 230035, 230038, 11242)),
        (FailureClass.CONTENT_BLOCKED, (230022, 230028, 11248, 11312)),
        (FailureClass.TOO_LONG, (230025, 19036)),
        (FailureClass.FORM, (230099, 230054, 230055, 230075)),
        (FailureClass.BAD_REQUEST, (230001, 9499, 99992402, 19002, 230034, 99992351, 99992361)),
        (FailureClass.UNCLASSIFIED, (1, 4711)),
    ],
)
def test_each_code_has_the_class_of_its_meaning(kind: FailureClass, codes: tuple[int, ...]) -> None:
    assert {code: refusal(ANY, code, 400, None).kind for code in codes} == dict.fromkeys(
        codes, kind
    )


def test_a_missing_scope_to_send_is_the_whole_apps_and_another_one_is_not() -> None:
    assert refusal(Operation.REPLY_MESSAGE, 99991672, 400, None).kind is FailureClass.APP_REFUSED
    assert refusal(Operation.GET_CHAT, 99991672, 400, None).kind is FailureClass.PERMISSION


@pytest.mark.parametrize("status", [200, 400, 401, 429, 500])
def test_the_code_decides_and_not_the_status(status: int) -> None:
    assert refusal(ANY, 230011, status, None) == LarkFailure(FailureClass.TARGET_GONE, 230011)


@pytest.mark.parametrize(
    ("operation", "kinds"),
    [
        (Operation.REPLY_MESSAGE, ("thread_refused", "thread_refused", "form")),
        (Operation.PATCH_MESSAGE, ("bad_request", "expired", "expired")),
        (Operation.CREATE_MESSAGE, ("unclassified", "unclassified", "form")),
    ],
)
def test_a_code_means_what_it_means_for_its_operation(
    operation: Operation, kinds: tuple[str, ...]
) -> None:
    assert (
        tuple(refusal(operation, code, 400, None).kind.value for code in (230071, 230072, 230075))
        == kinds
    )


def test_an_unknown_code_under_a_server_error_may_have_been_done() -> None:
    assert refusal(ANY, 4711, 502, None) == LarkFailure(FailureClass.AMBIGUOUS, 4711)


def test_only_a_rate_limit_says_when_to_come_back() -> None:
    reset = timedelta(seconds=7)
    assert refusal(ANY, 99991400, 429, reset).retry_after == reset
    assert refusal(ANY, 230011, 400, reset).retry_after is None


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (200, FailureClass.AMBIGUOUS),
        (302, FailureClass.UNREACHABLE),
        (403, FailureClass.UNREACHABLE),
        (404, FailureClass.UNREACHABLE),
        (408, FailureClass.AMBIGUOUS),
        (429, FailureClass.RATE_LIMITED),
        (499, FailureClass.AMBIGUOUS),
        (500, FailureClass.AMBIGUOUS),
        (502, FailureClass.AMBIGUOUS),
        (504, FailureClass.AMBIGUOUS),
    ],
)
def test_an_answer_that_nobody_can_read_is_definite_only_where_a_gateway_refused(
    status: int, kind: FailureClass
) -> None:
    assert unreadable(status, None).kind is kind
