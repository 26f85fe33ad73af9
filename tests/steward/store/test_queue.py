"""The queue before the writing thread: the group commit overtakes, and starves nobody."""

from threading import Thread

from sqlalchemy import Connection

from steward.store.queue import FairQueue, Job


def job() -> Job:
    def work(_: Connection) -> None:
        return None

    return Job(work)


def test_urgent_jobs_overtake_but_never_twice_in_a_row() -> None:
    queue = FairQueue()
    slow, urgent = [job() for _ in range(3)], [job() for _ in range(4)]
    for one in slow:
        queue.put(one, first=False)
    for one in urgent:
        queue.put(one, first=True)
    order = [queue.take() for _ in range(7)]
    assert order == [
        urgent[0],
        slow[0],
        urgent[1],
        slow[1],
        urgent[2],
        slow[2],
        urgent[3],
    ]


def test_an_urgent_job_that_overtook_nobody_does_not_count() -> None:
    queue = FairQueue()
    first, second, slow = job(), job(), job()
    queue.put(first, first=True)
    assert queue.take() is first
    queue.put(slow, first=False)
    queue.put(second, first=True)
    assert [queue.take(), queue.take()] == [second, slow]


def test_a_closed_queue_hands_out_what_waits_and_takes_no_more() -> None:
    queue = FairQueue()
    waiting = job()
    assert queue.put(waiting, first=False)
    queue.close()
    assert not queue.put(job(), first=True)
    assert [queue.take(), queue.take()] == [waiting, None]


def test_closing_wakes_every_thread_that_waits() -> None:
    queue = FairQueue()
    threads = [Thread(target=queue.take) for _ in range(3)]
    for thread in threads:
        thread.start()
    queue.close()
    for thread in threads:
        thread.join(timeout=5)
    assert not any(thread.is_alive() for thread in threads)
