"""The page for native packages shows code that is built and run, and names every function."""

import re
from pathlib import Path

import situ

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "native-packages.md").read_text(encoding="utf-8")
SOURCES = {
    "c": ROOT / "examples" / "native" / "c_extension" / "scaled_sum.c",
    "rust": ROOT / "crates" / "situ-array" / "examples" / "native_package.rs",
}


def test_code_on_the_page_is_that_of_the_examples() -> None:
    blocks = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert {language for language, _ in blocks} == set(SOURCES)
    for language, block in blocks:
        assert block in SOURCES[language].read_text(encoding="utf-8"), block


def test_every_function_of_the_table_is_on_the_page() -> None:
    header = (Path(situ.get_include()) / "situ.h").read_text(encoding="utf-8")
    functions = set(re.findall(r"\(\*(\w+)\)\(", header.split("typedef struct situ_api")[1]))
    functions.discard("deleter")  # an argument
    assert len(functions) > 30
    assert {name for name in functions if f"`{name}`" not in PAGE} == set()
