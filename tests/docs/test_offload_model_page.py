"""Each test that the page on the offload model names is there."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def test_the_tests_it_names_exist() -> None:
    page = (ROOT / "docs" / "offload-model.md").read_text(encoding="utf-8")
    named = set(_NAMED.findall(page))
    assert len(named) > 50
    missing = [
        f"{file}::{test}"
        for file, test in sorted(named)
        if f"\ndef {test}(" not in (ROOT / file).read_text(encoding="utf-8")
    ]
    assert missing == []


def test_it_leaves_out_no_test_of_the_documents() -> None:
    page = (ROOT / "docs" / "offload-model.md").read_text(encoding="utf-8")
    for file in sorted((ROOT / "tests" / "seeds").glob("test_*.py")):
        text = file.read_text(encoding="utf-8")
        for test in re.findall(r"^def (test_\w+)\(", text, re.MULTILINE):
            assert f"`{file.relative_to(ROOT)}::{test}`" in page
