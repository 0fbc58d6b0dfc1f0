"""Every public name of the peers is there, and works or says what to use instead."""

import json
import re

import pytest
from compat.calls import CALLS
from compat.program import FOLDER, ROOT, output

NAMES = FOLDER / "names"
# Kinds of names that calls with arrays say nothing about.
_ELSEWHERE = (
    r"dpnp\.(ndarray|flatiter|ndindex|random|memory|exceptions|linalg\.LinAlgError|DLDevice)"
)


@pytest.fixture(scope="module")
def walk():
    return json.loads(output("-m", "situ.compat", FOLDER / "walk_names.py", NAMES))


def test_all_names_are_there(walk):
    assert walk["missing"] == []
    assert walk["count"] > 1400


def test_names_that_situ_has_not_say_what_to_use(walk):
    assert walk["refused"]
    for name, message in walk["refused"].items():
        first, why, help_ = message.split("\n")
        assert first == f"`{name}` is not in situ" or name.startswith("dpnp.tensor.")
        assert why.startswith("  why:  ")
        assert re.match(r"  help: .*`.+`", help_)


def test_nine_of_ten_names_work(walk):
    assert len(walk["refused"]) < walk["count"] / 10
    page = (ROOT / "docs" / "compat.md").read_text(encoding="utf-8")
    stated = re.search(r"Of (\d+) public names, (\d+)", page)
    assert stated is not None
    assert walk["count"] >= int(stated[1])
    assert walk["count"] - len(walk["refused"]) >= int(stated[2])


def test_every_function_of_dpnp_is_called_or_refused(walk):
    called = " ".join(call if isinstance(call, str) else call[0] for call in CALLS)
    uses = {f"dpnp{name}" for name in re.findall(r"xp((?:\.\w+)+)", called)}
    names = (NAMES / "dpnp.txt").read_text(encoding="utf-8").split()
    functions = [
        name
        for name in names
        if not re.match(_ELSEWHERE, name)
        and name not in walk["refused"]
        and name not in walk["values"]
        and name not in uses
    ]
    # These need a file, or are tested elsewhere.
    assert set(functions) == {"dpnp.common_type", "dpnp.fromfile"}


def test_functions_of_dpnp_agree_with_numpy():
    problems = json.loads(output("-m", "situ.compat", FOLDER / "compare_calls.py"))
    assert problems == {}


def test_random_numbers_have_their_distributions():
    assert output("-m", "situ.compat", FOLDER / "draw_numbers.py") == "drawn\n"
