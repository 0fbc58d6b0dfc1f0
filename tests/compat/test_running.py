"""``python -m situ.compat`` runs a program as Python itself would have."""

import pytest
from compat.program import output, run

from situ.compat.__main__ import main

COMPAT = ("-m", "situ.compat")


def test_program_has_its_own_arguments_and_folder(tmp_path):
    (tmp_path / "neighbour.py").write_text("value = 7", encoding="utf-8")
    program = tmp_path / "program.py"
    program.write_text(
        "import sys, neighbour, dpnp\n"
        "assert __name__ == '__main__' and sys.modules['__main__'].neighbour is neighbour\n"
        "print(sys.argv[1:], __file__ == sys.argv[0], neighbour.value)",
        encoding="utf-8",
    )
    assert output(*COMPAT, program, "-m", "a b") == "['-m', 'a b'] True 7\n"


def test_module_runs(tmp_path):
    package = tmp_path / "package"
    package.mkdir()
    (package / "__main__.py").write_text(
        "import sys, dpctl\nprint(sys.argv[1:], __package__)", encoding="utf-8"
    )
    done = run(*COMPAT, "-m", "package", "x", cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("['x'] package\n", "")


def test_code_runs_with_kernels_in_it():
    code = (
        "import sys, dpnp, numba_dpex\n"
        "@numba_dpex.kernel\n"
        "def f(item, x):\n"
        "    x[item.get_id(0)] = 5\n"
        "x = dpnp.zeros(2)\n"
        "numba_dpex.call_kernel(f, numba_dpex.Range(2), x)\n"
        "print(x, sys.argv)"
    )
    assert output(*COMPAT, "-c", code, "y") == "[5. 5.] ['-c', 'y']\n"


def test_exception_shows_lines_of_the_program_only(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import dpnp\n\ndef f():\n    return dpnp.sinn\n\nf()\n", encoding="utf-8")
    done = run(*COMPAT, program)
    assert done.returncode == 1
    assert "line 4, in f\n    return dpnp.sinn" in done.stderr
    assert "line 6, in <module>\n    f()" in done.stderr
    assert "`dpnp.sin`" in done.stderr
    assert "__main__.py" not in done.stderr
    assert "runpy" not in done.stderr


@pytest.mark.parametrize(("ending", "status"), [("sys.exit(3)", 3), ("1 / 0", 1)])
def test_exit_status_is_the_programs(ending, status):
    assert run(*COMPAT, "-c", f"import sys; {ending}").returncode == status


def test_syntax_error_shows_its_line(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("x = 1\nif x\n", encoding="utf-8")
    done = run(*COMPAT, program)
    assert done.returncode == 1
    assert "line 2\n    if x\n" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.py"], "cannot open 'nowhere.py': No such file or directory"),
        (["."], "cannot open '.': Is a directory"),
        (["-x"], "there is no option `-x`"),
        (["-m"], "`-m` needs an argument"),
        (["-c"], "`-c` needs an argument"),
        ([], "usage: python -m situ.compat"),
    ],
)
def test_what_cannot_run_is_said(arguments, message, capsys):
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_help_is_shown(capsys):
    assert main(["--help"]) == 0
    assert capsys.readouterr().out.startswith("usage: ")


def test_module_that_is_not_there():
    done = run(*COMPAT, "-m", "nowhere.module")
    assert done.returncode == 1
    assert "No module named" in done.stderr
