"""``situ doctor``."""

import json

from cli.command import run

import situ
from situ._cli import _self_test, main


def test_a_healthy_installation(capsys):
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    for part in ("LLVM", "Python", "numpy", "native:cpu:0", "SITU_CACHE_DIR", "threads"):
        assert part in said
    assert said.count("self-test passed") == len(situ.devices())
    assert said.endswith("every device works\n")


def test_json_says_the_same(capsys):
    assert main(["doctor", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["works"] is True
    assert report["versions"]["situ"] == situ.__version__
    names = [device.filter_string for device in situ.devices()]
    assert [test["device"] for test in report["self_tests"]] == names
    assert [device["filter_string"] for device in report["devices"]] == names
    assert {one["backend"] for one in report["platforms"]} >= {"native", "reference"}


def test_a_device_that_does_not_work_is_status_1(capsys, monkeypatch):
    def broken(*_arguments, **_keywords):
        message = "the device caught fire"
        raise situ.DeviceError(message)

    monkeypatch.setattr(_self_test.situ, "asarray", broken)
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert "self-test on native:cpu:0: DeviceError: the device caught fire" in said
    assert said.endswith("something does not work: see above\n")


def test_what_is_not_used_is_said_with_the_reason(tmp_path):
    cache = tmp_path / "cache"
    cache.mkdir()
    cache.chmod(0o777)
    done = run("doctor", cache=cache, SITU_MATH="sloppy", SITU_VIRTUAL_DEVICE="gpu")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "SITU_MATH=sloppy is ignored: it must be fast or exact" in done.stdout
    assert "is SITU_VIRTUAL_DEVICES meant?" in done.stdout
    assert f"`{cache}` has permissions 777, which let other users write" in done.stdout


def test_virtual_devices_are_tested_too(tmp_path):
    settings = {"cache": tmp_path / "cache", "SITU_VIRTUAL_DEVICES": "gpu:2"}
    done = run("doctor", **settings)
    expected = len(json.loads(run("devices", "--json", **settings).stdout))
    assert expected >= 4
    assert done.stdout.count("self-test passed") == expected, done.stdout + done.stderr
