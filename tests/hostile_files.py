"""Files that want to run code, or lie about what they hold."""

import io
import json
import os
import pickle
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import torch


class Bomb:
    """Touches a file when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, ...]:
        return (os.system, (f"touch {self.mark}",))


def bomb_in_state_dict(file: Path, mark: Path) -> None:
    torch.save({"weight": torch.ones(2), "other": Bomb(mark)}, file)


def bomb_as_plain_pickle(file: Path, mark: Path) -> None:
    file.write_bytes(pickle.dumps(Bomb(mark)))


def bomb_in_old_format(file: Path, mark: Path) -> None:
    torch.save({"weight": Bomb(mark)}, file, _use_new_zipfile_serialization=False)


def bomb_beside_the_real_pickle(file: Path, mark: Path) -> None:
    torch.save({"weight": torch.ones(2)}, file)
    with zipfile.ZipFile(file, "a") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the duplicate name
        archive.writestr(
            f"{archive.namelist()[0].split('/')[0]}/data.pkl", pickle.dumps(Bomb(mark))
        )


def whole_module(file: Path, mark: Path) -> None:
    torch.save(torch.nn.Linear(2, 2), file)


def truncated(file: Path, mark: Path) -> None:
    torch.save({"weight": torch.ones(1000)}, file)
    file.write_bytes(file.read_bytes()[:-2000])


def empty(file: Path, mark: Path) -> None:
    file.write_bytes(b"")


def compressed(file: Path, mark: Path) -> None:
    plain = file.with_suffix(".plain")
    torch.save({"weight": torch.ones(1000)}, plain)
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))


def shape_beyond_the_storage(file: Path, mark: Path) -> None:
    """Say that a tensor of 4 elements has 2^40."""
    torch.save({"weight": torch.ones(7, 3)}, file)
    with zipfile.ZipFile(file) as old:
        entries = {name: old.read(name) for name in old.namelist()}
    name = next(name for name in entries if name.endswith("data.pkl"))
    small, big = b"K\x07K\x03", b"\x8a\x06" + (2**40).to_bytes(6, "little") + b"K\x03"
    assert small in entries[name]
    entries[name] = entries[name].replace(small, big)
    with zipfile.ZipFile(file, "w") as new:
        for name, data in entries.items():
            new.writestr(name, data)


CHECKPOINTS: dict[str, Callable[[Path, Path], None]] = {
    one.__name__: one
    for one in (
        bomb_in_state_dict,
        bomb_as_plain_pickle,
        bomb_in_old_format,
        bomb_beside_the_real_pickle,
        whole_module,
        truncated,
        empty,
        compressed,
        shape_beyond_the_storage,
    )
}


def safetensors(header: object, data: bytes = b"", length: int | None = None) -> bytes:
    text = json.dumps(header).encode() if not isinstance(header, bytes) else header
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def _entry(shape: list[int], start: int, end: int, dtype: str = "F32") -> dict[str, object]:
    return {"weight": {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}}


SAFETENSORS: dict[str, bytes] = {
    "nothing": b"",
    "seven bytes": b"1234567",
    "header longer than the file": safetensors({}, length=1 << 40),
    "header that is no JSON": safetensors(b"{" * 1000),
    "deeply nested header": safetensors(b"[" * 100_000),
    "header that is a list": safetensors([1, 2]),
    "data cut short": safetensors(_entry([4], 0, 16), bytes(8)),
    "huge shape": safetensors(_entry([1 << 40, 1 << 20], 0, 16), bytes(16)),
    "negative shape": safetensors(_entry([-4], 0, -16), bytes(16)),
    "offsets backwards": safetensors(_entry([4], 16, 0), bytes(16)),
    "offset before the data": safetensors(_entry([4], -16, 0), bytes(16)),
    "shape and bytes disagree": safetensors(_entry([5], 0, 16), bytes(16)),
    "unknown type": safetensors(_entry([4], 0, 4, "F8_E4M3"), bytes(4)),
}


def program(file: Path) -> None:
    """Write a sound program that reads rows of a table."""

    class Reader(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = torch.nn.Embedding(50, 4)

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            return self.table(ids).sum(1).reshape(-1, 2)

    batch = torch.export.Dim("batch", min=1, max=64)
    ids = torch.zeros(3, 2, dtype=torch.int64)
    saved = torch.export.export(Reader(), (ids,), dynamic_shapes=({0: batch},))
    torch.export.save(saved, file)


def edited_program(
    file: Path, edit: Callable[[str, bytes], bytes], extra: dict[str, bytes]
) -> None:
    """Write a program with entries changed, and others added."""
    program(file)
    with zipfile.ZipFile(file) as old:
        entries = {name: old.read(name) for name in old.namelist()}
    top = next(iter(entries)).split("/")[0]
    with zipfile.ZipFile(file, "w") as new:
        for name, data in entries.items():
            new.writestr(name, edit(name, data))
        for name, data in extra.items():
            new.writestr(f"{top}/{name}", data)


def _replace(old: bytes, new: Callable[[Path], bytes]) -> Callable[[Path, Path], None]:
    def write(file: Path, mark: Path) -> None:
        seen = []

        def edit(name: str, data: bytes) -> bytes:
            if name.endswith("models/model.json") and old in data:
                seen.append(name)
                return data.replace(old, new(mark), 1)
            return data

        edited_program(file, edit, {})
        assert seen, f"the program has no {old!r}"

    return write


def _bomb_as_sample(file: Path, mark: Path) -> None:
    buffer = io.BytesIO()
    torch.save(((Bomb(mark),), {}), buffer)

    def edit(name: str, data: bytes) -> bytes:
        return buffer.getvalue() if "sample_inputs" in name else data

    edited_program(file, edit, {})


def _bomb_as_weight(file: Path, mark: Path) -> None:
    buffer = io.BytesIO()
    torch.save(Bomb(mark), buffer)

    def edit(name: str, data: bytes) -> bytes:
        if name.endswith("weights/weight_0"):
            return buffer.getvalue()
        return data.replace(b'"use_pickle": false', b'"use_pickle": true')

    edited_program(file, edit, {})


def _bomb_as_constant(file: Path, mark: Path) -> None:
    edited_program(
        file, lambda _, data: data, {"data/constants/opaque_obj_0": pickle.dumps(Bomb(mark))}
    )


def _compiled_code(file: Path, mark: Path) -> None:
    edited_program(file, lambda _, data: data, {"data/aotinductor/model/a.so": b"\x7fELF"})


def _old_layout(file: Path, mark: Path) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("version", "8.20")
        for name in ("state_dict", "constants", "example_inputs"):
            archive.writestr(f"serialized_{name}.pt", pickle.dumps(Bomb(mark)))
        archive.writestr("serialized_exported_program.json", "{}")


PROGRAMS: dict[str, Callable[[Path, Path], None]] = {
    "expression of a size": _replace(
        b'"expr_str": "',
        lambda mark: f"\"expr_str\": \"__import__('os').system('touch {mark}') + ".encode(),
    ),
    "attribute in a size": _replace(b'"expr_str": "', lambda _: b'"expr_str": "().__class__ + '),
    "operator that calls the system": _replace(
        b"torch.ops.aten.embedding.default", lambda _: b"torch.os.system"
    ),
    "operator that loads a library": _replace(
        b"torch.ops.aten.embedding.default", lambda _: b"torch.ops.load_library"
    ),
    "name that is source": _replace(
        b'"name": "embedding"', lambda mark: f'"name": "x = open({str(mark)!r}, 1)"'.encode()
    ),
    "container that imports": _replace(b"builtins.tuple", lambda _: b"collections.defaultdict"),
    "pickle as sample": _bomb_as_sample,
    "pickle as weight": _bomb_as_weight,
    "pickle as constant": _bomb_as_constant,
    "compiled code": _compiled_code,
    "old layout": _old_layout,
    "cut short": lambda file, _: (program(file), file.write_bytes(file.read_bytes()[:900]))[0],
    "not a program": lambda file, _: torch.save({"weight": torch.ones(2)}, file),
}


def matmul(folder: Path, *, location: str = "model.data", length: str = "", width: int = 4) -> Path:
    """Write an ONNX file whose one weight lies, or is said to lie, in another file."""
    weight = onnx.TensorProto(name="weight", data_type=1, dims=[4, width], data_location=1)
    for key, value in (
        ("location", location),
        ("offset", "0"),
        ("length", length or str(16 * width)),
    ):
        weight.external_data.add(key=key, value=value)
    (folder / "model.data").write_bytes(np.eye(4, width, dtype="float32").tobytes())
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("MatMul", ["x", "weight"], ["y"])],
        "graph",
        [onnx.helper.make_tensor_value_info("x", 1, ["N", 4])],
        [onnx.helper.make_tensor_value_info("y", 1, ["N", width])],
        [weight],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)])
    file = folder / "model.onnx"
    file.write_bytes(model.SerializeToString())
    return file
