"""A process that publishes: to be killed, starved of disk, or run beside others.

    python -m tests.publisher URL ENDPOINT FOLDER TIMES [LIMIT]

Publishes the draft of `tests.drafts` from FOLDER with TIMES different answers of a few MiB.
Once a draft is written, no file may grow beyond LIMIT bytes.
Prints "ready" before the first, and the number of each version; or the kind and the text
of the error, and exits with its code.
"""

import os
import resource
import sys
from pathlib import Path

from registry import Catalog
from registry.errors import PlatformError
from registry.store import open_store
from tests.drafts import write_draft


def main(url: str, endpoint: str, folder: str, times: str, limit: str = "-1") -> int:
    catalog = Catalog(open_store(url, endpoint=endpoint or None))
    print("ready", flush=True)
    try:
        for _ in range(int(times)):
            draft = write_draft(Path(folder), answer=os.urandom(3 << 20))
            resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
            print(catalog.publish(draft, Path(folder)).number, flush=True)
    except PlatformError as error:
        print(f"{type(error).__name__}: {error}", flush=True)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
