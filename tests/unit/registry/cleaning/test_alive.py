"""Processes are known to be dead on this host, and nowhere else."""

import subprocess
import sys

from registry.cleaning.alive import Process, is_dead, this_process


def test_a_process_is_alive_until_it_has_ended():
    code = "from registry.cleaning.alive import this_process as p; print(p().model_dump_json())"
    command = [sys.executable, "-c", f"{code}; print(flush=True); import sys; sys.stdin.read()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        process = Process.model_validate_json(other.stdout.readline())
        assert other.stdout.readline() == b"\n"
        assert (process.number, is_dead(process)) == (other.pid, False)
        other.stdin.close()
        other.wait()
        assert is_dead(process)


def test_a_number_that_was_given_to_another_process_is_no_life():
    here = this_process()
    assert not is_dead(here)
    assert is_dead(here.model_copy(update={"started": "1"}))


def test_of_processes_of_another_place_nothing_is_known():
    here = this_process()
    assert not is_dead(here.model_copy(update={"started": "1", "place": "elsewhere"}))
