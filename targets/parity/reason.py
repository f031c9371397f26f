"""Reasons that a job has to give."""

from pydantic import AfterValidator


def reason(wanted: str) -> AfterValidator:
    """Make what refuses a text of fewer than three words.

    Args:
        wanted: What it is to say: 'why ..., such as `...`'.
    """

    def check(text: str) -> str:
        if len(text.split()) < 3:
            raise ValueError(f"say in three words or more {wanted}")
        return text

    return AfterValidator(check)
