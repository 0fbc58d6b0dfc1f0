"""When environment variables are read: at the first use of a device, not at the import."""

import os
import subprocess
import sys
import textwrap

import pytest

from situ._native import environment_variables

DECORATED = textwrap.dedent(
    """
    import os
    import warnings
    import numpy as np
    import situ

    @situ.kernel
    def fill(x):
        x[situ.get_global_id(0) + 1] = 1.0

    @situ.njit
    def double(x):
        return 2 * x
    """
)
# What is wrong for each variable that can be wrong. The others name a file or a directory.
NONSENSE = {name: "nonsense" for name, *_ in environment_variables()}
for name in ("SITU_CACHE_DIR", "SITU_OPENCL", "SITU_SYCL_LIBRARY"):
    del NONSENSE[name]


def run(tmp_path, program):
    """Run a program with no settings of ours; return its output."""
    script = tmp_path / "program.py"
    script.write_text(DECORATED + textwrap.dedent(program))
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SITU_")}
    done = subprocess.run(
        [sys.executable, script],
        env={**clean, "SITU_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_variable_set_after_the_import_is_read(tmp_path):
    program = f"""
    nonsense = {NONSENSE!r}
    os.environ.update(nonsense)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        situ.ones(3).to_numpy()
    texts = [str(warning.message) for warning in said]
    print([name for name in nonsense if not any(name in text for text in texts)])
    """
    assert run(tmp_path, program) == "[]\n"


@pytest.mark.parametrize(
    ("variable", "value", "question", "answer"),
    [
        ("SITU_NUM_THREADS", "1", 'situ.Device("native").compute_units', "1"),
        ("SITU_VIRTUAL_DEVICES", "gpu:2", 'len(situ.devices("virtual"))', "2"),
        ("SITU_OPENCL", "off", 'situ.devices("opencl")', "[]"),
        ("SITU_SYCL_LIBRARY", "off", 'situ.devices("sycl")', "[]"),
        ("SITU_SANITIZE", "1", "fails(lambda: fill(situ.zeros(3)))", "True"),
        ("SITU_BOUNDS", "1", "fails(lambda: fill(situ.zeros(3)))", "True"),
        ("SITU_CACHE_DIR", "{tmp_path}/other", 'os.path.isdir("{tmp_path}/other")', "True"),
    ],
)
def test_variables_have_their_effect_once(tmp_path, variable, value, question, answer):
    question = question.replace("{tmp_path}", str(tmp_path))
    program = f"""
    def fails(call):
        try:
            call()
            situ.zeros(1).queue.wait()
        except situ.SituError:
            return True
        return False

    os.environ[{variable!r}] = {value.format(tmp_path=tmp_path)!r}
    (situ.ones(70000) * 2).to_numpy()
    print({question})
    # Changes after the first use are too late.
    del os.environ[{variable!r}]
    print({question})
    """
    assert run(tmp_path, program) == f"{answer}\n{answer}\n"
