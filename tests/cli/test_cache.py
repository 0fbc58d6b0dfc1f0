"""``situ cache``, always with a cache of the test's own."""

import json

from cli.command import run


def fill(cache):
    """Leave some compiled kernels in a cache."""
    assert run("doctor", cache=cache).returncode == 0
    return sorted(cache.glob("*.situ-code"))


def test_looking_at_a_cache_does_not_make_one(tmp_path):
    cache = tmp_path / "cache"
    for arguments in (["cache"], ["cache", "list"], ["cache", "clear"]):
        done = run(*arguments, cache=cache)
        assert done.returncode == 0, done.stderr
    assert not cache.exists()


def test_kernels_are_listed_and_cleared(tmp_path):
    cache = tmp_path / "cache"
    files = fill(cache)
    size = sum(file.stat().st_size for file in files)
    state = json.loads(run("cache", "--json", cache=cache).stdout)
    assert state["directory"] == str(cache)
    assert (state["entries"], state["size_bytes"]) == (len(files), size)
    listed = run("cache", "list", cache=cache).stdout
    assert len(listed.splitlines()) == len(files) + 1
    assert "_scale_and_shift" in listed
    assert "subtract" in listed
    done = run("cache", "clear", cache=cache)
    assert done.returncode == 0
    assert f"removed {len(files)} programs" in done.stdout
    assert str(cache) in done.stdout
    assert sorted(cache.iterdir()) == []
    assert run("cache", "list", cache=cache).stdout == "the compile cache is empty\n"


def test_damaged_programs_are_shown_as_such(tmp_path):
    cache = tmp_path / "cache"
    fill(cache)[0].write_bytes(b"not a program")
    programs = json.loads(run("cache", "list", "--json", cache=cache).stdout)
    assert [program["kernels"] for program in programs].count(None) == 1
    assert "(damaged; will be compiled again)" in run("cache", "list", cache=cache).stdout


def test_files_of_others_stay(tmp_path):
    cache = tmp_path / "cache"
    fill(cache)
    notes = cache / "notes.txt"
    notes.write_text("mine")
    run("cache", "clear", cache=cache)
    assert sorted(cache.iterdir()) == [notes]


def test_a_cache_that_others_can_write_is_left_alone(tmp_path):
    cache = tmp_path / "cache"
    files = fill(cache)
    cache.chmod(0o777)
    done = run("cache", "clear", cache=cache)
    assert done.returncode == 1
    assert "nothing removed" in done.stdout
    assert "permissions 777" in done.stdout
    assert f"chmod go-w {cache}" in done.stdout
    assert sorted(cache.glob("*.situ-code")) == files


def test_no_cache_is_said():
    done = run("cache", cache="off")
    assert done.returncode == 0
    assert "kernels are compiled again in every process" in done.stdout
    assert "no compile cache" in run("cache", "clear", cache="off").stdout
