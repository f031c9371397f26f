"""Which records of a TorchScript file are bytes of weights, and nothing but that."""

import io
import pickle
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

#: The pickle of weights and what modules hold else, and the folder that tensors' bytes lie in.
_PICKLE, _FOLDER = "data.pkl", "data/"

#: What makes plain tensors, and what holds them; others may read bytes while they are loaded.
_PLAIN = frozenset(
    {
        "torch._utils._rebuild_tensor_v2",
        "torch._utils._rebuild_parameter",
        "collections.OrderedDict",
    }
)
_HOLDERS = ("__torch__.", "torch.jit._pickle.")


class _Held:
    """Stands for whatever a pickle makes; nothing of it is run."""

    def __init__(self, *_: object) -> None: ...
    def __setstate__(self, _: object) -> None: ...
    def __setitem__(self, *_: object) -> None: ...
    def append(self, _: object) -> None: ...
    def extend(self, _: object) -> None: ...


class _Reader(pickle.Unpickler):
    """Counts by which keys a pickle asks for bytes, and notes whether it makes more than that."""

    def __init__(self, data: bytes) -> None:
        super().__init__(io.BytesIO(data))
        self.keys = Counter[str]()
        self.plain = True

    def find_class(self, module: str, name: str) -> type[_Held]:
        whole = f"{module}.{name}"
        known = whole in _PLAIN or whole.startswith(_HOLDERS)
        self.plain &= known or (module == "torch" and name.endswith("Storage"))
        return _Held

    def persistent_load(self, pid: object) -> _Held:
        match pid:
            case ("storage", _, str(key), *_):
                self.keys[key] += 1
            case _:
                self.plain = False
        return _Held()


def read_by_weights(reader: "torch._C.PyTorchFileReader") -> Iterator[str]:
    """Give the records that one plain tensor's storage each is read from; no constants of code.

    None where loading runs code of the file's own, which might read them, or where bytes are in
    another order than this host's.
    """
    names = set(reader.get_all_records())
    if _PICKLE not in names or _runs_code(reader, names) or _is_foreign(reader, names):
        return
    asked = _Reader(reader.get_record(_PICKLE))
    try:
        asked.load()
    except (pickle.UnpicklingError, ValueError, TypeError, EOFError, AttributeError, KeyError):
        return
    if asked.plain:
        found = (_FOLDER + key for key, times in asked.keys.items() if times == 1)
        yield from (name for name in found if name in names)


def _runs_code(reader: "torch._C.PyTorchFileReader", names: set[str]) -> bool:
    code = (name for name in names if name.startswith("code/") and name.endswith(".py"))
    return any(b"__setstate__" in reader.get_record(name) for name in code)


def _is_foreign(reader: "torch._C.PyTorchFileReader", names: set[str]) -> bool:
    return "byteorder" in names and reader.get_record("byteorder") != b"little"
