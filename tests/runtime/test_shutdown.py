"""The end of the interpreter with work pending: waited for, but not for ever, and never a crash.

Each case is a process of its own.
"""

import signal
import subprocess
import sys
import textwrap
import time

import pytest
from runtime.gates import PATIENCE_SECONDS, run_program

PREAMBLE = """
import sys, threading, time
import situ
import situ._at_exit

situ._at_exit._PATIENCE_SECONDS = float(sys.argv[1])

@situ.kernel
def step(x):
    i = situ.get_global_id(0)
    x[i] = x[i] * 3 + 1

queue = situ.Queue("native", in_order=sys.argv[2] == "in-order")

"""


@pytest.fixture(params=["in-order", "out-of-order"])
def run(tmp_path, request):
    """Return a function that runs a program to its end."""

    def run(program, patience_seconds=30):
        program = PREAMBLE + textwrap.dedent(program)
        return run_program(tmp_path, program, str(patience_seconds), request.param)

    return run


def test_pending_kernels_are_waited_for(run):
    done = run(
        """
        x = situ.zeros(1_000_000, queue=queue)
        queue.wait()  # the first step comes after the gate, and after nothing else
        gate = queue.host_task(time.sleep, 0.1)
        queue.submit(step, 1_000_000, x, depends=gate)
        for _ in range(20):
            queue.submit(step, 1_000_000, x)
        queue.host_task(lambda: print(float(x.to_numpy().sum())), depends=queue.barrier())
        """
    )
    total = 0
    for _ in range(21):
        total = total * 3 + 1
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{total * 1e6}\n"


def test_pending_host_tasks_are_waited_for(run):
    done = run(
        """
        for number in range(50):
            queue.host_task(lambda number=number: sys.stdout.write(f"{number}\\n"))
        """
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(map(int, done.stdout.split())) == list(range(50))


def test_pending_callbacks_are_waited_for(run):
    done = run(
        """
        event = queue.host_task(time.sleep, 0.05)
        for number in range(20):
            event.add_done_callback(
                lambda _, number=number: (time.sleep(0.01), sys.stdout.write(f"{number}\\n"))
            )
        """
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(map(int, done.stdout.split())) == list(range(20))


@pytest.mark.parametrize(
    "task",
    [
        "threading.Event().wait",
        "lambda: [time.sleep(0.001) for _ in iter(int, 1)]",
        "lambda: [None for _ in iter(int, 1)]",
        "lambda: situ.Queue('native').host_task(threading.Event().wait).wait()",
        "lambda: [(situ.ones(10) + 1).to_numpy() for _ in iter(int, 1)]",
    ],
)
def test_a_host_task_that_never_ends_is_given_up(run, task):
    done = run(f"queue.host_task({task})", patience_seconds=0.2)
    assert done.returncode == 0, done.stderr
    assert done.stderr == (
        "situ: work was still running 0.2 s after the program's end; it is given up\n"
    )


def test_a_callback_that_never_ends_is_given_up(run):
    done = run(
        "situ.Event().add_done_callback(lambda _: [None for _ in iter(int, 1)])",
        patience_seconds=0.2,
    )
    assert done.returncode == 0, done.stderr
    assert "it is given up" in done.stderr


def test_failures_that_nobody_saw_are_told_at_the_end(run):
    done = run(
        """
        def fail():
            raise LookupError("unseen")
        queue.host_task(fail)
        """
    )
    assert done.returncode == 0
    assert "UnseenFailureWarning" in done.stderr
    assert "unseen" in done.stderr
    assert "program.py" in done.stderr


def test_an_exit_code_is_kept(run):
    done = run("queue.host_task(time.sleep, 0.05)\nsys.exit(3)")
    assert (done.returncode, done.stderr) == (3, "")
    done = run("queue.host_task(time.sleep, 0.05)\nraise LookupError('mine')")
    assert done.returncode == 1
    assert "LookupError: mine" in done.stderr
    assert "UnseenFailure" not in done.stderr


@pytest.mark.parametrize("round_number", range(3))
def test_daemon_threads_that_go_on_submitting_do_no_harm(run, round_number):
    done = run(
        """
        def submit(queue):
            x = situ.zeros(1000, queue=queue)
            while True:
                queue.submit(step, 1000, x)
                queue.host_task(int)
                event = queue.host_task(int)
                event.add_done_callback(lambda event: event.is_complete)
                (x + 1).to_numpy()
                queue.wait()
        for _ in range(4):
            threading.Thread(target=submit, args=(queue,), daemon=True).start()
            threading.Thread(target=submit, args=(situ.Queue(),), daemon=True).start()
        time.sleep(0.1)
        """,
        patience_seconds=0.2,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr in (
        "",
        "situ: work was still running 0.2 s after the program's end; it is given up\n",
    )


def test_objects_that_outlive_the_module_do_no_harm(run):
    done = run(
        """
        class Late:
            def __init__(self):
                self.queue = queue
                self.x = situ.ones(10, queue=queue)
                self.event = queue.host_task(int)
            def __del__(self):
                self.event.wait()
                self.queue.wait()
                self.queue.submit(step, 10, self.x).wait()
                print(float(self.x[0]))
        import builtins
        builtins.late = Late()
        late.cycle = late
        """
    )
    assert done.returncode == 0, done.stderr


def test_pending_work_of_a_running_loop_is_no_problem(run):
    done = run(
        """
        import asyncio
        async def main():
            task = asyncio.ensure_future(wait(queue.host_task(time.sleep, 0.1)))
            await asyncio.sleep(0)
        async def wait(event):
            await event
        asyncio.run(main())
        """
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_waiting_at_the_end_can_be_interrupted(tmp_path):
    script = tmp_path / "program.py"
    # Whatever this process ignores, because it was started in the background: the program does not.
    script.write_text(
        "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
        + PREAMBLE
        + "queue.host_task(threading.Event().wait)\nprint('x', flush=True)"
    )
    with subprocess.Popen(
        [sys.executable, script, "1000", "in-order"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout.readline() == "x\n"
        time.sleep(0.3)
        program.send_signal(signal.SIGINT)
        _, errors = program.communicate(timeout=PATIENCE_SECONDS)
    assert "KeyboardInterrupt" in errors
    assert program.returncode == 0
