"""Attempts beside those that boto3 makes by itself, with growing, random pauses."""

import random
import time
from collections.abc import Callable
from typing import TypeVar

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    IncompleteReadError,
    ResponseStreamingError,
)
from urllib3.exceptions import HTTPError

Result = TypeVar("Result")

FIRST_PAUSE, LONGEST_PAUSE = 0.05, 5.0


def retry(
    work: Callable[[], Result], is_passing: Callable[[Exception], bool], attempts: int
) -> Result:
    """Do some work; again where it fails for a reason that is likely to pass."""
    for attempt in range(attempts - 1):
        try:
            return work()
        except (BotoCoreError, ClientError, HTTPError) as error:
            if not is_passing(error):
                raise
        longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2**attempt)
        time.sleep(longest * random.uniform(0.5, 1))  # noqa: S311  nothing secret
    return work()


def is_broken(error: Exception) -> bool:
    """Say whether the connection broke in the body of an answer, which boto3 does not try again.

    Where that body was an error's, what urllib3 says of it comes through as it is.
    """
    return isinstance(error, IncompleteReadError | ResponseStreamingError | HTTPError)
