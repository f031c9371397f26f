"""How the end of a process reads."""

import signal

import pytest

from pipeline.processes.deaths import SIGNALS, died, hung, raised
from pipeline.processes.events import Failed
from registry.errors import ParityError, WorkerError


@pytest.mark.parametrize("number", SIGNALS)
def test_every_signal_that_kills_is_named_with_its_cause(task, tmp_path, number):
    text = str(died(task(), tmp_path / "log", -number, for_memory=False))
    assert signal.Signals(number).name in text
    assert SIGNALS[number] in text
    assert str(tmp_path / "log") in text


def test_a_signal_without_a_name_is_a_number(task, tmp_path):
    assert "signal 40" in str(died(task(), tmp_path, -40, for_memory=False))


def test_a_kill_for_lack_of_memory_says_so(task, tmp_path):
    text = str(died(task(), tmp_path, -signal.SIGKILL, for_memory=True))
    assert "memory ran out; run where there is more" in text


def test_a_hang_says_how_long_and_what_to_do_where_it_is_none(task, tmp_path):
    text = str(hung(task(), tmp_path, 900))
    assert "for 900 s" in text
    assert "--patience" in text


def test_an_error_for_the_user_is_made_again(task, tmp_path):
    error = raised(Failed(kind="ParityError", message="off", peak=0), task(), tmp_path)
    assert type(error) is ParityError
    assert str(error) == "off"


@pytest.mark.parametrize("kind", [None, "NoSuchError", "__doc__"])
def test_what_is_no_error_of_ours_is_a_workers(task, tmp_path, kind):
    assert type(raised(Failed(kind=kind, message="x", peak=0), task(), tmp_path)) is WorkerError
