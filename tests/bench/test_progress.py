"""How far a comparison is, on a terminal and in a log."""

import io

from situ._bench._progress import Bar, Lines


def test_a_bar_is_one_line_that_is_written_over(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    out = io.StringIO()
    bar = Bar(out)
    bar.begin(4)
    for what in ("one", "`two`", "x" * 200):
        bar.step(what)
    bar.end()
    said = out.getvalue()
    assert "\n" not in said
    shown = said.split("\r\x1b[K")[1:]
    assert "  0%" in shown[0]
    assert "░" in shown[0]
    assert " 25%" in shown[1]
    assert "two" in shown[1]
    assert "`" not in shown[1]
    assert all(len(text) <= 59 for text in shown)
    # Cleared at the end.
    assert shown[-1] == ""


def test_a_log_has_a_line_for_each_tenth():
    out = io.StringIO()
    lines = Lines(out)
    lines.begin(100)
    for number in range(100):
        lines.step(f"step {number}")
    lines.end()
    said = out.getvalue().splitlines()
    assert len(said) == 10
    assert said[1] == "10 of 100: step 10"


def test_few_steps_are_a_line_each():
    out = io.StringIO()
    lines = Lines(out)
    lines.begin(3)
    for number in range(3):
        lines.step(f"step {number}")
    assert out.getvalue().splitlines() == ["0 of 3: step 0", "1 of 3: step 1", "2 of 3: step 2"]
