"""Writes the page of each kernel code, docs/errors/kernel/K0xx.md.

A page says what the code means and what to do, and shows kernels that cause it with the messages
they get. Meaning and way out are those of the tables in docs/errors/kernel.md; kernels and messages
are the cases and snapshots of the front end's tests, so a page cannot show what situ does not say.
Run it after any of them has changed; `make lint` runs it with `--check`, which writes nothing and
fails if a page is not as it should be.
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "docs" / "errors" / "kernel.md"
PAGES = ROOT / "docs" / "errors" / "kernel"
CASES = ROOT / "crates" / "situ-frontend" / "tests" / "cases" / "reject"
SNAPSHOTS = ROOT / "crates" / "situ-frontend" / "tests" / "snapshots" / "reject"

# Messages shown on one page; a code may have many.
SHOWN = 3

# Where a line of code or of a message is cut; one case has very long ones.
WIDTH = 200

# Codes about a line and those before it, which are shown as well.
ABOUT_WHAT_IS_BEFORE = {"K042", "K045", "K082", "K083"}

_ROW = re.compile(
    r"^\| \[`(?P<code>K\d{3})`\]\(kernel/K\d{3}\.md\) \| (?P<cells>.*) \|$", re.MULTILINE
)
_MESSAGE = re.compile(r"^error\[(?P<code>K\d{3})\]: (?P<title>.*)$")
_PLACE = re.compile(r"^ *--> (?P<file>[^:]+):(?P<line>\d+):\d+$", re.MULTILINE)


@dataclass
class Message:
    """What situ says about one mistake, and the kernel that has it."""

    code: str
    title: str
    text: str
    kernel: str


def main() -> int:
    """Write all pages, or with `--check` tell which would change."""
    pages = wanted_pages()
    present = {path.name for path in PAGES.glob("*.md")}
    if "--check" not in sys.argv[1:]:
        PAGES.mkdir(exist_ok=True)
        for name, text in pages.items():
            (PAGES / name).write_text(text, encoding="utf-8")
        for name in present - pages.keys():
            (PAGES / name).unlink()
        return 0
    wrong = sorted(present - pages.keys())
    for name, text in pages.items():
        path = PAGES / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            wrong.append(name)
    for name in wrong:
        print(f"docs/errors/kernel/{name} is out of date: run tools/make_error_pages.py")
    return 1 if wrong else 0


def wanted_pages() -> dict[str, str]:
    """Return the text of each page by the name of its file."""
    messages: dict[str, list[Message]] = {}
    for snapshot in sorted(SNAPSHOTS.glob("*.snap")):
        for message in messages_in(snapshot):
            messages.setdefault(message.code, []).append(message)
    table = TABLE.read_text(encoding="utf-8")
    return {
        f"{row['code']}.md": page(row["code"], row["cells"], messages.get(row["code"], []))
        for row in _ROW.finditer(table)
    }


def page(code: str, cells: str, messages: list[Message]) -> str:
    """Return the page of one code."""
    meaning, _, remedy = cells.split(" | ")
    parts = [
        f"# {code}\n",
        f"{sentence(meaning)}\n",
        f"**What to do:** {sentence(remedy)}\n",
    ]
    for message in chosen(messages):
        title = message.title[0].upper() + message.title[1:]
        parts.append(f"## {title}\n")
        parts.append(f"```py\n{narrow(message.kernel)}\n```\n")
        parts.append(f"```text\n{narrow(message.text)}\n```\n")
    parts.append("[All kernel codes](../kernel.md)\n")
    return "\n".join(parts)


def chosen(messages: list[Message]) -> list[Message]:
    """Return a few messages whose titles differ."""
    by_title: dict[str, Message] = {}
    for message in messages:
        by_title.setdefault(re.sub(r"`[^`]*`", "``", message.title), message)
    return list(by_title.values())[:SHOWN]


def sentence(text: str) -> str:
    """Return a cell of a table as a sentence."""
    first = text if text.startswith("`") else text[0].upper() + text[1:]
    return first if first.endswith(".") else f"{first}."


def messages_in(snapshot: Path) -> list[Message]:
    """Return every message of a snapshot."""
    body = snapshot.read_text(encoding="utf-8").split("---\n", 2)[2]
    source = (CASES / f"{snapshot.stem}.py").read_text(encoding="utf-8").splitlines()
    found: list[Message] = []
    for block in re.split(r"\n\n(?=error\[)", body.strip("\n")):
        title = _MESSAGE.match(block.partition("\n")[0])
        place = _PLACE.search(block)
        if title is None:
            continue
        line = int(place["line"]) if place else 0
        code = title["code"]
        kernel = excerpt(source, line, is_whole=code in ABOUT_WHAT_IS_BEFORE)
        found.append(Message(code, title["title"], block, kernel))
    return found


def excerpt(source: list[str], line: int, *, is_whole: bool) -> str:
    """Return the function around a line: how it starts, the line itself, perhaps all between."""
    culprit = source[line - 1] if 0 < line <= len(source) else ""
    before = source[:line]
    starts = [number for number, text in enumerate(before, 1) if is_def(text)]
    if not starts:
        return culprit.strip() or "\n".join(source).strip()
    start = starts[-1]
    lines = [source[start - 2]] if source[start - 2].startswith("@") else []
    lines.append(source[start - 1])
    if is_whole:
        lines += source[start : line - 1]
    elif line > start + 1:
        lines.append("    ...")
    if line > start:
        lines.append(culprit)
    if culprit.endswith(":"):
        lines.append(indented(culprit))
    return "\n".join(lines)


def indented(line: str) -> str:
    """Return what stands for the block that a line begins."""
    return " " * (len(line) - len(line.lstrip()) + 4) + "..."


def narrow(text: str) -> str:
    """Return a text whose longest lines are cut."""
    lines = text.splitlines()
    return "\n".join(line if len(line) <= WIDTH else f"{line[:WIDTH]} ..." for line in lines)


def is_def(line: str) -> bool:
    """Tell whether a line starts a function of its own."""
    return line.startswith(("def ", "async def "))


if __name__ == "__main__":
    sys.exit(main())
