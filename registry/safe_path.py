"""Which relative paths may be believed: the keys of a store, the files of a version."""

from collections.abc import Iterable

#: S3 takes keys of 1024 bytes; the rest is left to a store's prefix.
LONGEST_PATH = 768
LONGEST_NAME = 255


def fault_of(path: str) -> str | None:
    """Say what is wrong with a path that must stay below where it starts, if anything is."""
    names = path.split("/")
    faults = {
        "is empty": not path,
        "is absolute": path.startswith("/"),
        "has a backslash": "\\" in path,
        "has characters that cannot be shown": not path.isprintable(),
        "leads out of its folder": ".." in names,
        "has an empty or '.' segment": bool({"", "."} & set(names)),
        "is too long": _is_long(path, names),
    }
    return next((fault for fault, is_so in faults.items() if is_so), None)


def faults_of(paths: Iterable[str]) -> list[str]:
    """Say what is wrong with paths that are to lie in one folder, each alone and side by side."""
    known = set(paths)
    alone = [f"{path!r} {fault}" for path in known if (fault := fault_of(path))]
    folders = {path[:end] for path in known for end, sign in enumerate(path) if sign == "/"}
    both = [f"{path!r} is a file and a folder" for path in known & folders]
    return sorted(alone + both)


def _is_long(path: str, names: list[str]) -> bool:
    def length(text: str) -> int:
        return len(text.encode(errors="surrogatepass"))

    return length(path) > LONGEST_PATH or max(map(length, names)) > LONGEST_NAME
