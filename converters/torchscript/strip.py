"""Take out of a TorchScript file what changes from one process to the next."""

import re
import shutil
import zipfile
from pathlib import Path

#: What TorchScript keeps for its own error messages: paths and counters of this process.
_TRACES = re.compile(r"\.debug_pkl$|/\.data/serialization_id$")

#: Where it names classes, and how it keeps those of one name apart.
_NAMED = re.compile(r"/code/.*\.py$|/data\.pkl$")
_NUMBERED = re.compile(rb"___torch_mangle_(\d+)")


def strip(whole: Path, file: Path) -> None:
    """Copy what computes, so that equal models are equal bytes.

    TorchScript numbers classes by how many the process has made so far.
    """
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(file, "w") as result:
        kept = [name for name in source.namelist() if not _TRACES.search(name)]
        texts = {name: source.read(name) for name in kept if _NAMED.search(name)}
        found = {int(number) for text in texts.values() for number in _NUMBERED.findall(text)}
        places = {b"%d" % number: b"%d" % place for place, number in enumerate(sorted(found))}

        def renumber(text: bytes) -> bytes:
            return _NUMBERED.sub(lambda number: b"___torch_mangle_" + places[number[1]], text)

        for name in kept:
            place = renumber(f"model/{name.partition('/')[2]}".encode()).decode()
            info = zipfile.ZipInfo(place)
            if name in texts:
                result.writestr(info, renumber(texts[name]))
                continue
            info.file_size = source.getinfo(name).file_size
            with source.open(name) as given, result.open(info, "w") as written:
                shutil.copyfileobj(given, written, 1 << 20)
