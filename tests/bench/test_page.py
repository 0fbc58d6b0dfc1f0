"""docs/performance.md shows what the files of `make bench` say."""

import json
import sys
from pathlib import Path

import pytest
from bench import made_up

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import make_performance_page  # noqa: E402 (the tools are scripts, not an installed package)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Make a page of its own, without results."""
    page = tmp_path / "performance.md"
    begin, end = make_performance_page.BEGIN, make_performance_page.END
    page.write_text(f"# Performance\n\nBefore.\n\n{begin}\nold\n{end}\n\nAfter.\n")
    folder = tmp_path / "performance"
    folder.mkdir()
    monkeypatch.setattr(make_performance_page, "ROOT", tmp_path)
    monkeypatch.setattr(make_performance_page, "PAGE", page)
    monkeypatch.setattr(make_performance_page, "FOLDER", folder)
    return folder


def main(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["make_performance_page.py", *arguments])
    return make_performance_page.main()


def test_the_page_and_the_charts_are_what_the_results_say(monkeypatch, capsys):
    assert main(monkeypatch, "--check") == 0, capsys.readouterr().out


def test_the_page_has_both_marks_once():
    page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    assert page.count(make_performance_page.BEGIN) == page.count(make_performance_page.END) == 1
    assert page.index(make_performance_page.BEGIN) < page.index(make_performance_page.END)


def test_results_become_tables_and_charts_and_the_rest_of_the_page_stays(folder, monkeypatch):
    own = made_up.results(ratio=2.0)
    peers = made_up.results(ratio=3.0, peers=("numba", "dpnp", "jax"), has_scaling=False)
    (folder / "results.json").write_text(json.dumps(own.to_json()))
    (folder / "peers.json").write_text(json.dumps(peers.to_json()))
    assert main(monkeypatch) == 0
    page = (folder.parent / "performance.md").read_text()
    assert page.startswith("# Performance\n\nBefore.\n")
    assert page.endswith("\n\nAfter.\n")
    assert "old" not in page
    assert "| `a + b`, float64 | 10M | 1 ms | 20 ms | 2 ms | 2.00 | ≥ 1.5 | yes |" in page
    assert "ahead of dpnp on" in page
    assert "A processor, 2 cores" in page
    for chart in ("speed", "scaling", "peers"):
        assert f"(performance/{chart}.svg)" in page
        assert (folder / f"{chart}.svg").read_text().startswith("<svg")
    assert main(monkeypatch, "--check") == 0
    # Written again, it stays the same.
    assert main(monkeypatch) == 0
    assert (folder.parent / "performance.md").read_text() == page


def test_programs_have_a_page_and_a_chart_of_their_own(folder, monkeypatch):
    assert main(monkeypatch) == 0
    page = folder / "programs.md"
    assert "Nothing has been measured yet." in page.read_text()
    (folder / "programs.json").write_text(json.dumps(made_up.program_results().to_json()))
    assert main(monkeypatch, "--check") == 1
    assert main(monkeypatch) == 0
    text = page.read_text()
    assert "| njit | NumPy | 2 | 4.00 | 2.00 | b |" in text
    assert "| a | kind | njit | 8 s | 16 s | 1 s | 8.00 | 16.0 | 9 s | 500 ms | 250 ms |" in text
    assert "- c, njit: situ: its process ended with signal 11" in text
    assert (folder / "programs.svg").read_text().startswith("<svg")
    assert main(monkeypatch, "--check") == 0


def test_a_page_that_was_edited_by_hand_is_noticed(folder, monkeypatch, capsys):
    (folder / "results.json").write_text(json.dumps(made_up.results().to_json()))
    main(monkeypatch)
    page = folder.parent / "performance.md"
    page.write_text(page.read_text().replace("| 2.00 |", "| 9.00 |", 1))
    (folder / "left-over.svg").write_text("<svg/>")
    assert main(monkeypatch, "--check") == 1
    said = capsys.readouterr().out
    assert "performance.md: not what the results say" in said
    assert "left-over.svg" in said


def test_without_results_the_page_says_so(folder, monkeypatch):
    assert main(monkeypatch) == 0
    assert "Nothing has been measured yet." in (folder.parent / "performance.md").read_text()
