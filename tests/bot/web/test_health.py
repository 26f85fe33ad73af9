from bot.web.health import Health, RedPart


def test_everything_expected_is_red_until_it_reports() -> None:
    health = Health(["webhook", "intake"])
    health.part_up("webhook")
    assert health.red() == (RedPart("intake", "starting"),)
    health.part_up("intake")
    assert health.red() == ()


def test_a_part_that_dies_is_red_until_it_is_back() -> None:
    health = Health()
    health.part_down("outbox", "restarting")
    health.part_down("intake", "lost_store")
    assert health.red() == (RedPart("intake", "lost_store"), RedPart("outbox", "restarting"))
    health.part_up("intake")
    health.part_up("outbox")
    assert health.red() == ()


def test_a_check_is_asked_at_each_look() -> None:
    answers = iter(["stale_events_refused", None])
    health = Health()
    health.add_check("events", lambda: next(answers))
    assert [health.red(), health.red()] == [(RedPart("events", "stale_events_refused"),), ()]


def test_a_reason_that_is_no_single_word_is_not_shown() -> None:
    health = Health()
    health.part_down("store", "cannot open /var/secret.db")
    health.part_down("lark", "")
    health.add_check("other", lambda: "token=abc")
    assert {part.reason for part in health.red()} == {"unclassified"}
