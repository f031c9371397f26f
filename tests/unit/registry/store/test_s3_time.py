"""Times of an S3-compatible service."""

import pytest
from botocore.utils import parse_timestamp

from registry.store.s3_time import read_time


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-30T12:21:47Z",
        "2026-11-30T12:21:47.123Z",
        "2026-11-30T14:21:47+02:00",
        "2026-11-30T12:21:47",
        "20261130T122147Z",
        "Mon, 30 Nov 2026 12:21:47 GMT",
        "1796041307",
        1796041307,
        1796041307.5,
    ],
)
def test_a_time_is_what_botocore_reads(text):
    assert read_time(text) == parse_timestamp(text)


@pytest.mark.parametrize("text", ["", "yesterday", "2026-13-01T00:00:00Z"])
def test_what_is_no_time_is_refused(text):
    with pytest.raises(ValueError, match=r"timestamp|time"):
        read_time(text)
