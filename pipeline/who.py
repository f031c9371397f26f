"""Who runs this, for the histories that say who did what."""

import getpass


def who() -> str:
    """Name the user; containers may have none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"
