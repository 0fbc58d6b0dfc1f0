"""``situ devices``."""

import json

import situ
from situ._cli import main
from situ.testing import virtual_devices


def test_each_device_has_a_line_and_the_default_a_star(capsys):
    with virtual_devices("gpu"):
        assert main(["devices"]) == 0
        names = [device.filter_string for device in situ.devices()]
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(names)
    assert lines[0].startswith("*  native:cpu:0")
    assert all(name in line for name, line in zip(names, lines, strict=True))


def test_a_selector_chooses(capsys):
    assert main(["devices", "reference,native"]) == 0
    lines = capsys.readouterr().out.splitlines()
    names = [line.strip("* ").split()[0] for line in lines]
    assert names == ["reference:cpu:0", "native:cpu:0"]


def test_no_device_is_status_1(capsys):
    assert main(["devices", "accelerator"]) == 1
    assert "no device fits `accelerator`" in capsys.readouterr().out


def test_a_selector_that_makes_no_sense_is_status_2(capsys):
    assert main(["devices", "tpu"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "`tpu` is no backend" in said.err


def test_verbose_lists_every_fact(capsys):
    assert main(["devices", "-v", "native"]) == 0
    said = capsys.readouterr().out
    device = situ.Device("native")
    for name in device.info.keys() - {"filter_string"}:
        assert f"\n  {name} " in said
    assert f"({device.memory_bytes} bytes)" in said
    assert ", ".join(sorted(device.aspects)) in said


def test_json_is_the_same_data(capsys):
    assert main(["devices", "--json"]) == 0
    records = json.loads(capsys.readouterr().out)
    for device, record in zip(situ.devices(), records, strict=True):
        assert record.pop("is_default") is (device == situ.Device())
        assert record.pop("aspects") == sorted(device.aspects)
        info = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in device.info.items()
        }
        info.pop("free_memory_bytes")
        record.pop("free_memory_bytes")
        assert record == info
