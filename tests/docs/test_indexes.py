"""Pages that stand in no menu can still be found: their index links each of them."""

from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("folder", ["design", "errors"])
def test_index_links_every_page_beside_it(folder: str) -> None:
    index = (DOCS / folder / "index.md").read_text(encoding="utf-8")
    pages = {page.name for page in (DOCS / folder).glob("*.md")} - {"index.md"}
    assert {page for page in pages if f"]({page})" not in index} == set()


def test_design_notes_say_whether_they_hold() -> None:
    for note in (DOCS / "design").glob("[0-9]*.md"):
        assert "\nStatus: " in note.read_text(encoding="utf-8"), note.name
