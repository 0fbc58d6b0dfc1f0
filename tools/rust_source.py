"""Enough of Rust's lexical rules to look at code without being fooled by text.

`mask` blanks comments and literals so that a search for a word finds only the word used as code.
It keeps every line break and column, so positions in the masked text are positions in the file.
It is not a parser: it knows where tokens of text begin and end, and nothing about what code means.
"""

import re

_TEXT = re.compile(
    r"""
      (?P<line_comment> //[^\n]* )
    | (?P<block_comment> /\* )
    | (?P<raw_string> \b(?:br|cr|r)(?P<hashes>\#*)" )
    | (?P<string> (?:\b[bc])?"(?:\\.|[^"\\])*" )
    | (?P<char> (?:\bb)?'(?:\\(?:u\{[^}]*\}|x..|.)|[^'\\\n])' )
    """,
    re.VERBOSE | re.DOTALL,
)
_BLOCK_EDGE = re.compile(r"/\*|\*/")


def mask(source: str) -> str:
    """Return `source` with comments, strings and characters replaced by spaces."""
    kept: list[str] = []
    position = 0
    while found := _TEXT.search(source, position):
        end = _end_of_text(source, found)
        kept.append(source[position : found.start()])
        kept.append(re.sub(r"[^\n]", " ", source[found.start() : end]))
        position = end
    kept.append(source[position:])
    return "".join(kept)


def _end_of_text(source: str, found: re.Match[str]) -> int:
    if found.lastgroup == "block_comment":
        return _end_of_block_comment(source, found.end())
    if found.group("raw_string"):
        closing = source.find('"' + found.group("hashes"), found.end())
        return len(source) if closing < 0 else closing + 1 + len(found.group("hashes"))
    return found.end()


def _end_of_block_comment(source: str, position: int) -> int:
    """Find the end of a block comment whose inside starts at `position`; they nest."""
    depth = 1
    while depth and (edge := _BLOCK_EDGE.search(source, position)):
        depth += 1 if edge.group() == "/*" else -1
        position = edge.end()
    return position if depth == 0 else len(source)
