"""Tables that are used densely as well as looked up: a tied output projection, say."""

from converters.split.choose import Matrix
from converters.split.policy import SplitOptions
from registry.errors import SplitError


def why_tied(matrix: Matrix, use: str, options: SplitOptions) -> str | None:
    """Say why such a table stays in the dense part whole, or None where a copy of it does.

    Args:
        use: What uses it: 'by linear (module 'out', model.py:12)'.

    Raises:
        SplitError: The job wants no such table.
    """
    if options.tied == "keep":
        return f"also used densely {use}: the job keeps such tables whole (split.tied: keep)"
    if options.tied == "share":
        return None
    raise SplitError(
        f"table {matrix.keys[0]} ({matrix.bytes} bytes) is looked up, and also used densely {use},"
        " which the job forbids (split.tied: error). With `share` its lookups are cut and a copy"
        " stays in the dense part, with `keep` all of it stays there; or end a part at the vector"
        " before that use (split.parts), and serve that part alone"
    )
