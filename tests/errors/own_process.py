"""A small program in a process of its own, which reads the settings and the cache anew."""

import os
import subprocess
import sys
import textwrap

PROGRAM = textwrap.dedent(
    """
    import numpy as np
    import situ

    @situ.kernel
    def triple(x):
        i = situ.get_global_id(0)
        x[i] = x[i] * 3.0

    x = situ.asarray(np.arange(4.0))
    triple(x)
    print((x + 1.0).to_numpy().tolist())
    """
)
ANSWER = "[1.0, 4.0, 7.0, 10.0]\n"


def run(tmp_path, *, before="", **environment):
    """Run the program in a process of its own; return what it wrote to standard error."""
    script = tmp_path / "program.py"
    script.write_text(before + PROGRAM)
    variables = {**os.environ, "PYTHONWARNINGS": "always", **environment}
    done = subprocess.run(
        [sys.executable, script], env=variables, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, ANSWER), done.stderr
    return done.stderr


def entries(directory):
    """List the files of a cache directory."""
    return sorted(path for path in directory.rglob("*") if path.is_file())
