"""``situ bench`` as users run it."""

import json
import os
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest
from cli.command import run

from situ._bench import _results
from situ._bench._lines import lines


def bench(tmp_path, *arguments, **environment):
    return run("bench", "--quick", *arguments, cache=tmp_path / "cache", **environment)


def test_lines_are_measured_shown_and_written(tmp_path):
    json_file, svg_file = tmp_path / "found.json", tmp_path / "chart.svg"
    done = bench(
        tmp_path,
        *("--lines", "add,sum-1000"),
        *("--against", "numpy"),
        *("--json", str(json_file)),
        *("--svg", str(svg_file)),
    )
    assert done.returncode == 0, done.stderr
    assert "a + b, float32" in done.stdout
    assert "x NumPy" in done.stdout
    assert "copy on the host, all threads" in done.stdout
    assert "went wrong" not in done.stdout
    # No terminal, so plain lines.
    assert "\r" not in done.stderr
    assert "limits of the machine" in done.stderr
    results = _results.from_json(json.loads(json_file.read_text()))
    assert [line.name for line in results.lines] == [
        "add-f64",
        "add-f32",
        "strided-add",
        "add-10",
        "sum-1000",
    ]
    assert all(line.times.keys() == {"numpy", "situ"} for line in results.lines)
    assert results.is_quick
    # Not every line was wanted.
    assert not results.is_complete
    assert ElementTree.fromstring(svg_file.read_text()).tag.endswith("svg")


@pytest.mark.slow
def test_a_whole_run_has_every_line_and_is_complete(tmp_path):
    file = tmp_path / "found.json"
    done = bench(tmp_path, "--against", "numpy", "--json", str(file))
    assert done.returncode == 0, done.stdout + done.stderr
    results = _results.from_json(json.loads(file.read_text()))
    assert results.is_complete
    assert [line.name for line in results.lines] == list(lines())
    assert results.problems() == []
    assert len(results.growth) == 3
    assert all(growth.of("situ") for growth in results.growth)
    assert set(results.peak_memory) == {"numpy", "situ"}
    assert results.limits is not None


@pytest.mark.slow
def test_scaling_has_every_cell_and_a_chart_of_its_own(tmp_path):
    file, chart = tmp_path / "found.json", tmp_path / "chart.svg"
    done = bench(
        tmp_path,
        "--scaling",
        *("--lines", "add-10", "--against", "numpy"),
        *("--json", str(file), "--svg", str(chart)),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    results = _results.from_json(json.loads(file.read_text()))
    counts = {1, len(os.sched_getaffinity(0))}
    assert {cell.threads for cell in results.scaling} == counts
    assert len(results.scaling) == 14 * 4 * 2 * len(counts)
    assert all(cell.ratio() is not None for cell in results.scaling)
    ElementTree.fromstring((tmp_path / "chart-scaling.svg").read_text())


def test_devices_are_compared_with_each_other(tmp_path):
    file = tmp_path / "found.json"
    done = bench(
        tmp_path,
        *("--device", "native", "--device", "virtual:gpu:0"),
        *("--lines", "add-f64,add-f32", "--against", "numpy", "--json", str(file)),
        SITU_VIRTUAL_DEVICES="gpu:1:no-fp64",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "x situ on virtual:gpu:0" in done.stdout
    float64, float32 = _results.from_json(json.loads(file.read_text())).lines[:2]
    other = "situ on virtual:gpu:0"
    assert float64.refused == {other: "virtual:gpu:0 has no float64"}
    assert set(float32.times) == {"numpy", "situ", other}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--device", "gpux"], "gpux"),
        (["--against", "nupmy"], "did you mean `numpy`?"),
        (["--against", "torch"], "there is no library `torch` to compare with"),
        (["--lines", "dance"], "no line has `dance` in its name"),
        (["--json", "/nowhere/found.json"], "there is no directory /nowhere"),
        (["--svg", "/"], "it is a directory"),
    ],
)
def test_options_that_make_no_sense_are_explained(arguments, says, tmp_path):
    done = bench(tmp_path, *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("situ bench: ")
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_a_library_that_is_not_installed_is_named_with_the_way_to_get_it(monkeypatch, capsys):
    from situ._bench import _libraries
    from situ._cli import main

    monkeypatch.setattr(_libraries, "is_installed", lambda name: name != "dpnp")
    assert main(["bench", "--against", "dpnp"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("situ bench: `dpnp` is not installed")
    assert "pip install dpnp intel-opencl-rt intel-cmplr-lib-rt" in said


def test_interrupted_it_shows_what_was_measured_so_far(tmp_path):
    file = tmp_path / "found.json"
    # A run that was started in the background may have inherited that the signal is ignored.
    program = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from situ._cli import main; sys.exit(main())"
    )
    command = [sys.executable, "-c", program, "bench", "--against", "numpy", "--quick"]
    with subprocess.Popen(
        [*command, "--json", str(file)],
        env={**os.environ, "SITU_CACHE_DIR": str(tmp_path / "cache")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        for line in process.stderr:
            if int(line.split()[0]) > 10:
                break
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in stderr
    assert "interrupted: this is what was measured so far" in stdout
    results = _results.from_json(json.loads(file.read_text()))
    assert 0 < len(results.lines) < len(lines())
    assert not results.is_complete


def test_a_library_that_does_not_start_is_named_once_and_the_others_go_on(tmp_path):
    broken = tmp_path / "modules"
    (broken / "dpnp").mkdir(parents=True)
    (broken / "dpnp" / "__init__.py").write_text("raise ImportError('libsycl.so is missing')\n")
    path = os.pathsep.join([str(broken), *sys.path])
    done = bench(tmp_path, "--lines", "add-10,slice", "--against", "dpnp", PYTHONPATH=path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("libsycl.so is missing") == 1
    assert "dpnp did not start: ImportError: libsycl.so is missing" in done.stdout
    assert "a[1:-1]" in done.stdout
