"""Compiled code that another user could have written is never run.

A cache is filled, tampered with as an attacker could, and used by another process. Code that is
refused is compiled again: the file is replaced (another inode), and one warning says why.
"""

import json
import os
import shutil
import socket

import pytest
from cli.command import run as run_command
from errors.own_process import entries, run

SOMEBODY = 12345

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


@pytest.fixture
def cache(tmp_path):
    """Return a cache with the code of the program in it."""
    directory = tmp_path / "cache"
    assert run(tmp_path, SITU_CACHE_DIR=str(directory)) == ""
    return directory


def inodes(cache):
    """Return which file holds each entry."""
    return {path.name: path.lstat().st_ino for path in entries(cache)}


def use(tmp_path, cache, **options):
    """Run the program over the cache; return what it says and which files it replaced."""
    before = inodes(cache)
    said = run(tmp_path, SITU_CACHE_DIR=str(cache), **options)
    after = inodes(cache)
    assert after.keys() == before.keys()
    return said, {name for name in after if after[name] != before[name]}


def test_a_cache_that_is_ours_is_used(tmp_path, cache):
    assert use(tmp_path, cache) == ("", set())


@pytest.mark.parametrize("mode", [0o666, 0o660, 0o602])
def test_entries_that_others_can_write_are_replaced(tmp_path, cache, mode):
    names = set(inodes(cache))
    for path in entries(cache):
        path.chmod(mode)
    said, replaced = use(tmp_path, cache)
    assert replaced == names
    assert said.count("CacheWarning") == 1
    assert f"has permissions {mode:o}" in said
    assert use(tmp_path, cache) == ("", set())


@needs_root
def test_entries_of_another_user_are_replaced(tmp_path, cache):
    names = set(inodes(cache))
    for path in entries(cache):
        os.chown(path, SOMEBODY, -1)
    said, replaced = use(tmp_path, cache)
    assert replaced == names
    assert said.count("CacheWarning") == 1
    assert f"belongs to user {SOMEBODY}" in said


def test_entries_with_a_second_name_are_replaced(tmp_path, cache):
    names = set(inodes(cache))
    for path in entries(cache):
        os.link(path, tmp_path / path.name)
    said, replaced = use(tmp_path, cache)
    assert replaced == names
    assert "has 2 hard links" in said


def make_link(path):
    """Make a link to a good entry elsewhere."""
    elsewhere = path.parent.parent / path.name
    shutil.copy(path, elsewhere)
    path.unlink()
    path.symlink_to(elsewhere)


def make_fifo(path):
    """Make a FIFO, which waits for somebody to write to it."""
    path.unlink()
    os.mkfifo(path, 0o600)


def make_directory(path):
    """Make a directory, which cannot be replaced by a file."""
    path.unlink()
    path.mkdir()


def make_socket(path):
    """Make a socket."""
    path.unlink()
    here = os.open(path.parent, os.O_RDONLY)
    # The whole name would be longer than a socket's may be.
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(f"/proc/self/fd/{here}/s")
    os.close(here)
    (path.parent / "s").rename(path)


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (make_link, "symbolic link"),
        (make_fifo, "FIFO"),
        (make_directory, "directory"),
        (make_socket, "socket"),
    ],
)
def test_only_regular_files_are_entries(tmp_path, cache, make, kind):
    for path in entries(cache):
        make(path)
    said = run(tmp_path, SITU_CACHE_DIR=str(cache))
    assert said.count("CacheWarning") == 1
    assert f"is a {kind}, not a regular file" in said
    again = run(tmp_path, SITU_CACHE_DIR=str(cache))
    assert (again == "") == (kind != "directory")


def test_a_huge_entry_is_not_read(tmp_path, cache):
    names = set(inodes(cache))
    for path in entries(cache):
        # It has the right start and no end; nothing is allocated on the disk.
        os.truncate(path, 1 << 40)
    assert use(tmp_path, cache) == ("", names)


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o770, 0o702])
def test_a_directory_above_that_others_can_write_is_refused(tmp_path, cache, mode):
    above = cache.parent / "above"
    above.mkdir()
    moved = cache.rename(above / "cache")
    above.chmod(mode)
    said, replaced = use(tmp_path, moved)
    assert not replaced
    assert said.count("CacheWarning") == 1
    assert f"`{above}` has permissions {mode:o}" in said
    assert f"chmod go-w {above}" in said
    # In a directory such as /tmp others can add files, but not touch ours.
    above.chmod(0o1777)
    assert use(tmp_path, moved) == ("", set())


@needs_root
def test_a_directory_above_of_another_user_is_refused_and_nothing_is_made_in_it(tmp_path):
    # As with `sudo` that keeps HOME.
    home = tmp_path / "home"
    home.mkdir()
    os.chown(home, SOMEBODY, -1)
    said = run(tmp_path, HOME=str(home), XDG_CACHE_HOME="", SITU_CACHE_DIR="")
    assert said.count("CacheWarning") == 1
    assert f"`{home}` belongs to user {SOMEBODY}" in said
    assert "sudo -H" in said
    assert list(home.iterdir()) == []


def test_a_link_on_the_way_leads_to_directories_that_are_checked_too(tmp_path, cache):
    (tmp_path / "link").symlink_to("other/../cache")
    (tmp_path / "other").mkdir()
    assert use(tmp_path, tmp_path / "link") == ("", set())
    (tmp_path / "other").chmod(0o777)
    said, _ = use(tmp_path, tmp_path / "link")
    assert f"`{tmp_path / 'other'}` has permissions 777" in said


@needs_root
def test_a_link_of_another_user_is_not_followed(tmp_path, cache):
    (tmp_path / "link").symlink_to(cache)
    os.chown(tmp_path / "link", SOMEBODY, -1, follow_symlinks=False)
    said, _ = use(tmp_path, tmp_path / "link")
    assert f"`{tmp_path / 'link'}` belongs to user {SOMEBODY}" in said


def test_links_that_lead_to_each_other_are_an_end(tmp_path):
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    said = run(tmp_path, SITU_CACHE_DIR=str(tmp_path / "one"))
    assert "symbolic links" in said


def test_a_relative_cache_stays_where_the_process_started(tmp_path):
    start, other = tmp_path / "start", tmp_path / "other"
    start.mkdir()
    other.mkdir()
    change = f"import os, situ\nos.chdir({str(start)!r})\nsitu.zeros(3)\nos.chdir({str(other)!r})\n"
    assert run(tmp_path, before=change, SITU_CACHE_DIR="cache") == ""
    assert entries(start)
    assert not entries(other)


def test_a_directory_replaced_while_in_use_is_not_looked_at(tmp_path, cache):
    planted = tmp_path / "planted"
    shutil.copytree(cache, planted)
    for path in entries(planted):
        path.write_bytes(b"code of somebody else")
    swap = "import os, situ\nsitu.zeros(3).to_numpy()\n(situ.ones(70000) * 2).to_numpy()\n"
    swap += f"os.rename({str(cache)!r}, {str(tmp_path / 'moved')!r})\n"
    swap += f"os.rename({str(planted)!r}, {str(cache)!r})\n"
    assert run(tmp_path, before=swap, SITU_CACHE_DIR=str(cache)) == ""
    assert all(path.read_bytes() == b"code of somebody else" for path in entries(cache))


def test_a_cache_removed_while_in_use_costs_a_warning(tmp_path):
    cache = tmp_path / "cache"
    remove = "import shutil, situ\n(situ.ones(70000) * 2).to_numpy()\n"
    remove += f"shutil.rmtree({str(cache)!r})\n"
    said = run(tmp_path, before=remove, SITU_CACHE_DIR=str(cache))
    assert said.count("CacheWarning") == 1
    assert "removed while this process used it" in said
    assert not cache.exists()


def test_directories_are_made_private(tmp_path):
    cache = tmp_path / "one" / "two" / "cache"
    open_umask = "import os\nos.umask(0)\n"
    assert run(tmp_path, before=open_umask, SITU_CACHE_DIR=str(cache)) == ""
    for made in (cache, cache.parent, cache.parent.parent):
        assert made.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in entries(cache)} == {0o600}


@pytest.mark.parametrize("action", [[], ["list"], ["clear"]])
def test_the_command_shows_why_a_cache_is_refused(tmp_path, action):
    above = tmp_path / "above"
    above.mkdir()
    above.chmod(0o777)
    # It need not exist: it would be refused if it did.
    done = run_command("cache", *action, cache=above / "cache")
    assert done.returncode == 1
    assert f"`{above}` has permissions 777" in done.stdout
    assert f"chmod go-w {above}" in done.stdout


def test_the_commands_show_refused_entries(tmp_path, cache):
    entries(cache)[0].chmod(0o666)
    done = run_command("cache", cache=cache)
    assert done.returncode == 1
    assert "1 file that others may have written: see `situ cache list`" in done.stdout
    assert "(refused: it has permissions 666" in run_command("cache", "list", cache=cache).stdout
    report = json.loads(run_command("doctor", "--json", cache=cache).stdout)
    assert any("1 file that others may have written" in text for text in report["problems"])
    entries(cache)[1].unlink()
    entries(cache)[0].rename(tmp_path / "target")
    (cache / ("0" * 64 + ".situ-code")).symlink_to(tmp_path / "target")
    assert run_command("cache", "clear", cache=cache).returncode == 0
    assert list(cache.iterdir()) == []
    assert (tmp_path / "target").exists()
