"""Names for tables, after what they are called in the checkpoint."""

import re
from collections.abc import Iterable


def free_name(keys: Iterable[str], taken: Iterable[str]) -> str:
    """Make a name that no other table has, and that is fit for a file's name."""
    whole = "_".join(key.removesuffix(".weight") for key in keys)
    plain = re.sub(r"\W+", "_", whole, flags=re.ASCII)[:100]
    lower = {name.lower() for name in taken}
    name, count = plain, 1
    while name.lower() in lower:
        count += 1
        name = f"{plain}_{count}"
    return name
