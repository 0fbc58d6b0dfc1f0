"""The page of environment variables says what `config.rs` says, no more and no less."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_VARIABLE = re.compile(r'name: "(SITU_\w+)",\s+choices: "(.*?)",\s+doc:\s+"(.*?)",\s')
_ROW = re.compile(r"^\| `(SITU_\w+)` \| (.*?) \| (.*?) \|$", re.MULTILINE)


def test_page_lists_every_variable_with_its_words() -> None:
    source = (ROOT / "crates/situ-runtime/src/config.rs").read_text(encoding="utf-8")
    page = (ROOT / "docs/environment.md").read_text(encoding="utf-8")
    variables = _VARIABLE.findall(source)
    assert len(variables) == source.count('name: "SITU_'), "a variable this test cannot read"
    assert sorted(_ROW.findall(page)) == sorted(variables)
