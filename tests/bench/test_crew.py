"""The processes in which libraries are measured: one at a time, and gone afterwards."""

import os
import signal
import time
from pathlib import Path

import numpy.fft
import pytest

from situ._bench._crew import Contender, Crew
from situ._bench._worker import first_line

NUMPY = Contender("numpy", "numpy")
SITU = Contender("situ", "situ", "native:cpu:0")


def state(process):
    """Return the letter by which Linux calls what a process does."""
    return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]


def process_of(crew, contender):
    return crew._members[contender.name]._process.pid


def wait_for(is_so):
    for _ in range(1000):
        if is_so():
            return
        time.sleep(0.01)
    pytest.fail("it did not happen")


def test_a_process_that_has_answered_is_stopped_with_its_threads():
    with Crew() as crew:
        for contender in (NUMPY, SITU):
            assert crew.ask(contender, "prepare_line", name="add-f64", size=1000)["first_s"] > 0
        for contender in (NUMPY, SITU):
            process = process_of(crew, contender)
            for thread in Path(f"/proc/{process}/task").iterdir():
                wait_for(lambda thread=thread: state(thread.name) == "T")


def test_a_process_works_on_when_it_is_asked_again():
    with Crew() as crew:
        crew.ask(SITU, "prepare_line", name="sum-f64", size=1000)
        crew.ask(NUMPY, "prepare_line", name="sum-f64", size=1000)
        for _ in range(3):
            for contender in (SITU, NUMPY):
                found = crew.ask(contender, "measure", length_s=0.0)
                assert found["best_s"] > 0
                assert found["calls"] >= 1
        assert crew.ask(SITU, "check") == {"difference": None}
        assert crew.ask(SITU, "release") == {}


def test_processes_and_their_files_are_gone_afterwards():
    with Crew() as crew:
        crew.ask(NUMPY, "release")
        process = process_of(crew, NUMPY)
        folder = Path(crew._folder.name)
        assert folder.is_dir()
    assert not Path(f"/proc/{process}").exists()
    assert not folder.exists()


def test_one_processor_is_one_thread_for_every_library():
    with Crew(1) as crew:
        crew.ask(SITU, "release")
        assert crew._members["situ"].start == {"threads": 1}
    assert len(os.sched_getaffinity(0)) >= 1


def test_a_process_that_dies_is_reported_and_the_next_question_starts_another():
    with Crew() as crew:
        crew.ask(NUMPY, "release")
        process = process_of(crew, NUMPY)
        os.kill(process, signal.SIGKILL)
        assert "its process ended with signal 9" in crew.ask(NUMPY, "release")["failed"]
        assert crew.ask(NUMPY, "prepare_line", name="add-10", size=10)["first_s"] > 0


def test_a_library_that_cannot_be_opened_says_why():
    nowhere = Contender("situ", "situ", "native:gpu:7")
    with Crew() as crew:
        assert "DeviceError" in crew.ask(nowhere, "release")["failed"]


def test_an_error_of_a_library_is_an_answer():
    with Crew() as crew:
        answer = crew.ask(NUMPY, "prepare_line", name="svd", size=-1)
        assert answer["failed"].startswith("ValueError: ")


def test_peak_memory_is_that_of_inputs_and_result():
    with Crew() as crew:
        ratio = crew.ask(NUMPY, "peak_memory", is_quick=True)["ratio"]
    # NumPy's result is one new array: nothing else can be needed.
    assert 0.99 < ratio < 1.05


def test_limits_are_positive():
    with Crew() as crew:
        limits = crew.ask(SITU, "limits", is_quick=True)
    assert all(value > 0 for value in limits.values())


def test_refusals_do_not_say_where_modules_are():
    refusal = TypeError(f"Unknown attribute 'fft' of type Module({numpy.fft!r})")
    assert first_line(refusal) == "Unknown attribute 'fft' of type Module(<module 'numpy.fft'>)"
