"""A cache or setting that cannot be used costs speed and says so; kernels run all the same.

Each case is a process of its own, because the cache and the settings are read once per process.
"""

import pytest
from errors.own_process import entries, run


def test_a_good_cache_is_private_and_silent(tmp_path):
    cache = tmp_path / "cache"
    assert run(tmp_path, SITU_CACHE_DIR=str(cache)) == ""
    assert cache.stat().st_mode & 0o777 == 0o700
    first = {path: path.stat().st_ino for path in entries(cache)}
    assert len(first) >= 2
    assert run(tmp_path, SITU_CACHE_DIR=str(cache)) == ""
    assert {path: path.stat().st_ino for path in entries(cache)} == first


def test_a_cache_that_others_can_write_is_refused(tmp_path):
    cache = tmp_path / "cache"
    cache.mkdir()
    cache.chmod(0o777)
    said = run(tmp_path, SITU_CACHE_DIR=str(cache))
    assert "CacheWarning" in said
    assert f"chmod go-w {cache}" in said
    assert entries(cache) == []


def test_a_file_in_the_way_is_no_cache(tmp_path):
    cache = tmp_path / "cache"
    cache.write_text("not a directory")
    said = run(tmp_path, SITU_CACHE_DIR=str(cache))
    assert "CacheWarning" in said
    assert "not a directory" in said
    assert cache.read_text() == "not a directory"


def test_a_cache_that_cannot_be_made_is_done_without(tmp_path):
    said = run(tmp_path, SITU_CACHE_DIR="/proc/situ-cache")
    assert "CacheWarning" in said
    assert "SITU_CACHE_DIR" in said


def test_a_full_disk_is_done_without(tmp_path):
    # Files may not grow, so every write fails as on a full disk.
    full_disk = "import resource, signal\n"
    full_disk += "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    full_disk += "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
    cache = tmp_path / "cache"
    said = run(tmp_path, before=full_disk, SITU_CACHE_DIR=str(cache))
    assert "CacheWarning" in said
    assert entries(cache) == []


@pytest.mark.parametrize("damage", ["truncate", "flip", "foreign"])
def test_damaged_entries_are_ignored_and_rewritten(tmp_path, damage):
    cache = tmp_path / "cache"
    run(tmp_path, SITU_CACHE_DIR=str(cache))
    good = {path: path.read_bytes() for path in entries(cache)}
    for path, content in good.items():
        if damage == "truncate":
            path.write_bytes(content[: len(content) // 2])
        elif damage == "flip":
            middle = len(content) // 2
            path.write_bytes(
                content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
            )
        else:
            path.write_bytes(b"another program's file")
    assert run(tmp_path, SITU_CACHE_DIR=str(cache)) == ""
    assert {path: path.read_bytes() for path in entries(cache)} == good


@pytest.mark.parametrize(
    ("variable", "value"), [("SITU_NUM_THREADS", "many"), ("SITU_MATH", "sloppy")]
)
def test_settings_that_make_no_sense_are_named_and_ignored(tmp_path, variable, value):
    said = run(tmp_path, SITU_CACHE_DIR=str(tmp_path / "cache"), **{variable: value})
    assert "SituWarning" in said
    assert variable in said
    assert value in said


def test_one_thread_is_enough(tmp_path):
    cache = str(tmp_path / "cache")
    assert run(tmp_path, SITU_CACHE_DIR=cache, SITU_NUM_THREADS="1") == ""


def test_everything_can_run_under_the_checks_of_the_reference_device(tmp_path):
    assert run(tmp_path, SITU_CACHE_DIR=str(tmp_path / "cache"), SITU_SANITIZE="1") == ""
