import pytest

from bot.web.metrics import Metrics, MetricType


def test_values_are_read_at_each_look() -> None:
    metrics = Metrics()
    counts = {"stale": 1, "token": 0}
    waiting = [3]
    metrics.labelled(
        MetricType.COUNTER, "refused_total", "Requests turned away.", "reason", lambda: counts
    )
    metrics.single(MetricType.GAUGE, "queue_depth", "Questions that wait.", lambda: waiting[0])
    first = metrics.render()
    counts["stale"], waiting[0] = 2, 0
    assert first == (
        "# HELP refused_total Requests turned away.\n"
        "# TYPE refused_total counter\n"
        'refused_total{reason="stale"} 1\n'
        'refused_total{reason="token"} 0\n'
        "# HELP queue_depth Questions that wait.\n"
        "# TYPE queue_depth gauge\n"
        "queue_depth 3\n"
    )
    assert 'refused_total{reason="stale"} 2\n' in metrics.render()
    assert metrics.render().endswith("queue_depth 0\n")


def test_an_id_cannot_become_a_label() -> None:
    metrics = Metrics()
    values = {"ok": 1, "oc_A/1": 2, 'x"} 9\nevil 1': 3}
    metrics.labelled(MetricType.COUNTER, "sent_total", "Sent.", "outcome", lambda: values)
    assert metrics.render().splitlines()[2:] == [
        'sent_total{outcome="ok"} 1',
        'sent_total{outcome="other"} 5',
    ]


@pytest.mark.parametrize("name", ["seen", "Not a name", ""])
def test_a_metric_has_one_name_of_its_own(name: str) -> None:
    metrics = Metrics()
    metrics.single(MetricType.GAUGE, "seen", "Seen.", lambda: 1)
    with pytest.raises(ValueError, match="metric"):
        metrics.single(MetricType.GAUGE, name, "Again.", lambda: 1)
