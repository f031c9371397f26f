"""The reason that stands in a history."""

from registry.errors import StoreError


def said(why: str) -> str:
    """Refuse a reason that says nothing.

    Raises:
        StoreError: It is empty or blank.
    """
    if not why.strip():
        raise StoreError("--why is empty. Say in a few words why, for those who read the history")
    return why
