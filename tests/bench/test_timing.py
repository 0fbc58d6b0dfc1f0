"""Timing counts calls as it should; how long they take is not tested."""

from situ._bench._timing import Timer, best_seconds, seconds


def test_a_turn_calls_at_least_once_after_the_warm_up():
    calls = []

    def call():
        # Long enough that one call is a sample.
        calls.append(sum(range(20_000)))

    turn = Timer(call).turn(0.0)
    assert turn.calls >= 1
    assert turn.best_s > 0
    # Two that warm up and show how many calls make a sample.
    assert len(calls) == turn.calls + 2


def test_brief_calls_are_timed_together():
    turn = Timer(lambda: None).turn(0.0)
    assert turn.calls > 100


def test_calls_take_turns():
    order = []
    first, second = best_seconds(lambda: order.append("a"), lambda: order.append("b"), repeats=3)
    assert order == ["a", "b"] * 4
    assert min(first, second, seconds(lambda: None)) >= 0
