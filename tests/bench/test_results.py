"""Results: bars, the file, and tables."""

import json

import pytest
from bench import made_up

from situ._bench import _bars, _results, _table
from situ._bench._bars import Bar


def test_the_file_gives_back_what_was_measured():
    results = made_up.results(peers=("dpnp",))
    results.lines[0].refused["numba"] = "it has no such function"
    results.absent["jax"] = "ImportError: no such library"
    results.lines[1].failed["jax"] = "its process ended with signal 6"
    again = _results.from_json(json.loads(json.dumps(results.to_json())))
    assert again == results


def test_the_file_says_what_it_is_and_has_everything_needed_to_judge_it():
    data = made_up.results(peers=("dpnp",)).to_json()
    assert (data["schema"], data["version"]) == ("situ-bench", 1)
    assert set(data) == {
        "schema",
        "version",
        "made_at",
        "machine",
        "entrants",
        "is_quick",
        "is_complete",
        "limits",
        "absent",
        "lines",
        "scaling",
        "growth",
        "peak_memory",
        "bars",
    }
    assert set(data["machine"]) == {
        "processor",
        "processors",
        "memory_bytes",
        "system",
        "python",
        "commit",
    }
    assert set(data["limits"]) == {
        "host_copy_gb_per_s",
        "device_copy_gb_per_s",
        "fma_float32_gflop_per_s",
        "fma_float64_gflop_per_s",
        "empty_launch_us",
    }
    assert set(data["lines"][0]) == {
        "name",
        "title",
        "chapter",
        "size",
        "times",
        "refused",
        "failed",
    }
    assert set(data["lines"][0]["times"]["situ"]) == {"first_s", "best_s", "calls"}
    assert set(data["scaling"][0]) == {
        "operation",
        "layout",
        "elements",
        "threads",
        "times",
        "failed",
    }
    assert set(data["bars"][0]) == {"name", "against", "measured", "bar", "is_met"}
    # NumPy and dpnp for every line, and growth and memory.
    assert len(data["bars"]) == 2 * len(_bars.SPEED) + 2


@pytest.mark.parametrize("data", [[], {}, {"schema": "other"}, 3])
def test_another_file_is_refused(data):
    with pytest.raises(_results.OtherSchemaError, match="no results of `situ bench`"):
        _results.from_json(data)


def test_another_version_is_refused():
    data = {**made_up.results().to_json(), "version": 99}
    with pytest.raises(_results.OtherSchemaError, match="version 99, and this situ reads 1"):
        _results.from_json(data)


def test_bars_are_met_by_what_is_as_good():
    assert Bar(1.5).is_met_by(1.5)
    assert not Bar(1.5).is_met_by(1.49)
    assert Bar(1.1, is_at_least=False).is_met_by(1.1)
    assert not Bar(1.1, is_at_least=False).is_met_by(1.11)
    assert str(Bar(1 / 3)) == "≥ 0.333"


def test_judgements_are_those_of_the_table_of_bars():
    judged = {each.name: each for each in made_up.results(ratio=2.0).judgements()}
    assert judged["add-f64"].is_met
    assert judged["add-f64"].measured == pytest.approx(2.0)
    assert not judged["sin-f64"].is_met
    assert judged["add-10"].is_met
    # NumPy's grew to 1.2, as it would at the speed of a copy; situ's may grow as much and a tenth,
    # and did to 1.3.
    assert judged["growth-add-f64"].bar.limit == pytest.approx(1.32)
    assert judged["growth-add-f64"].is_met
    assert judged["peak-memory"].is_met


def test_growth_below_one_gives_nothing_away():
    assert _bars.growth_bar(0.5, 0.7).limit == pytest.approx(1.1)


def test_what_is_as_fast_as_a_copy_may_grow():
    results = made_up.results()
    # 24 bytes for an element at 20 GB/s take 1.2 ns; in caches it took a quarter of a nanosecond.
    results.growth[0].small_s["situ"] = 0.25e-9
    judged = {each.name: each for each in results.judgements()}
    assert judged["growth-add-f64"].bar.limit == pytest.approx(1.1 * 1.2 / 0.25)
    assert judged["growth-add-f64"].is_met
    results.growth[0].large_s["situ"] = 1.4e-9
    judged = {each.name: each for each in results.judgements()}
    assert not judged["growth-add-f64"].is_met


def test_tiny_sizes_are_not_judged():
    results = made_up.results(is_quick=True)
    assert results.judgements() == []
    assert _table.verdict(results) is None
    assert "bar" not in _table.speed(results)[0]


def test_every_line_is_in_the_table_with_its_verdict():
    head, *rows = _table.speed(made_up.results(ratio=2.0, peers=("dpnp",)))
    assert head == [
        "what",
        "size",
        "situ",
        "first call",
        "NumPy",
        "x NumPy",
        "x dpnp",
        "bar",
        "met",
    ]
    assert len(rows) == len(_bars.SPEED) + 1
    assert rows[0] == [
        "`a + b`, float64",
        "10M",
        "1 ms",
        "20 ms",
        "2 ms",
        "2.00",
        "2.00",
        "≥ 1.5",
        "yes",
    ]
    assert rows[-1][:1] + rows[-1][5:7] == ["geometric mean", "2.00", "2.00"]
    assert all(len(row) == len(head) for row in rows)


def test_what_is_missing_is_a_dash_and_what_failed_says_so():
    results = made_up.results(peers=("numba", "jax"))
    line = results.lines[0]
    del line.times["numba"], line.times["jax"]
    line.refused["numba"] = "it cannot"
    line.failed["jax"] = "it crashed"
    assert _table.speed(results)[1][6:8] == ["—", "failed"]
    assert results.problems() == ["`a + b`, float64: jax: it crashed"]
    assert not results.has_wrong_results()
    line.failed["situ"] = "its result is off"
    assert results.has_wrong_results()


def test_lines_behind_dpnp_are_named():
    results = made_up.results(ratio=2.0, peers=("dpnp",))
    count = len(_bars.SPEED)
    assert _table.against_dpnp(results) == f"ahead of dpnp on {count} of {count} lines"
    results.lines[3].times["dpnp"].best_s = 0.0005
    said = _table.against_dpnp(results)
    assert said == f"ahead of dpnp on {count - 1} of {count} lines; not on `sin`, float64 (0.50)"
    assert _table.against_dpnp(made_up.results()) is None


def test_markdown_has_as_many_cells_in_every_row():
    results = made_up.results(peers=("dpnp",))
    tables = [
        _table.speed(results),
        _table.limits(results),
        _table.other_bars(results),
        _table.scaling(results, 1),
    ]
    for rows in tables:
        lines = _table.as_markdown(rows).splitlines()
        assert len({line.count(" | ") for line in lines}) == 1
    assert "**no**" in _table.as_markdown(_table.speed(results))


def test_scaling_has_a_row_for_each_operation_and_layout():
    head, *rows = _table.scaling(made_up.results(), 2)
    assert head == ["operation", "layout", "10", "1,000", "100,000", "10,000,000"]
    assert rows[0] == ["`a + b`", "contiguous", "4.00", "4.00", "4.00", "4.00"]
    assert len(rows) == 14 * 4
    assert _table.scaling(made_up.results(has_scaling=False), 2) == []
