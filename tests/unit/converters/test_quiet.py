import logging
import sys
import warnings

import pytest

from converters.quiet import quiet


def test_warnings_and_logged_warnings_are_kept_once_and_nothing_is_printed(capsys):
    logger = logging.getLogger("noisy.part")
    with quiet("noisy", "noisy") as remarks:
        print("progress of the framework")
        print("more of it", file=sys.stderr)
        warnings.warn("weights were rounded", stacklevel=1)
        warnings.warn("weights were rounded", stacklevel=1)
        logger.warning("operator %s is slow", "Loop")
        logger.info("all is well")
    assert {(one.by, one.text) for one in remarks} == {
        ("noisy", "weights were rounded"),
        ("noisy", "operator Loop is slow"),
    }
    assert len(remarks) == 2
    assert capsys.readouterr() == ("", "")


def test_what_concerns_the_frameworks_authors_is_dropped():
    with quiet("noisy") as remarks:
        warnings.warn("will go", FutureWarning, stacklevel=1)
        warnings.warn("will go", DeprecationWarning, stacklevel=1)
    assert remarks == []


def test_a_logger_below_with_a_handler_of_its_own_is_kept_from_writing(capsys):
    logger = logging.getLogger("noisy.own")
    handler = logging.StreamHandler(sys.stderr)
    logger.addHandler(handler)
    try:
        with quiet("noisy", "noisy") as remarks:
            logger.error("half of the weights are gone")
    finally:
        logger.removeHandler(handler)
    assert [one.text for one in remarks] == ["half of the weights are gone"]
    assert capsys.readouterr() == ("", "")


def test_loggers_are_given_back_also_after_an_error():
    logger = logging.getLogger("noisy")
    before = (list(logger.handlers), logger.propagate)
    with pytest.raises(KeyError), quiet("noisy", "noisy"):
        raise KeyError
    assert (list(logger.handlers), logger.propagate) == before
