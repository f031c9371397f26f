"""Look through a `.pt2` file for what could run code, before torch reads it.

Torch's reader trusts the file: it unpickles weights, evaluates expressions of sizes, looks
operators up by path and puts names into Python source. So each of these is checked first,
by the same zip reader. Pickles are left to torch's weights-only reader.
"""

import ast
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from registry.errors import SourceError

_SPACES = "aten|prims|quantized_decomposed|torchvision"
_HIGHER = "cond|while_loop|scan|associative_scan|map_impl|wrap_with_set_grad_enabled"
_OPERATOR = re.compile(
    rf"torch\.ops\.(?:{_SPACES})\.(?!from_file\b)(?:_?[A-Za-z]\w*|__(?:and|or|xor|[lr]shift)__)"
    r"(?:\.[A-Za-z]\w*)?"
    rf"|torch\.ops\.higher_order\.(?:{_HIGHER})"
    r"|_operator\.(?:add|sub|mul|floordiv|truediv|mod|pow|neg|abs|eq|ne|lt|le|gt|ge|and_|or_|getitem)"
    r"|math\.(?:ceil|floor|trunc|sqrt|pow)|torch\.sym_[a-z]+|torch\._sym_sqrt"
)
_FUNCTIONS = frozenset(
    (
        *("FloorDiv", "ModularIndexing", "Where", "PythonMod", "Mod", "CleanDiv", "CeilToInt"),
        *("FloorToInt", "CeilDiv", "LShift", "RShift", "PowByNatural", "FloatPow", "Identity"),
        *("FloatTrueDiv", "IntTrueDiv", "TruncToFloat", "TruncToInt", "RoundToInt", "ToFloat"),
        *("RoundDecimal", "Max", "Min", "Abs", "Eq", "Ne", "Ge", "Gt", "Le", "Lt", "And", "Or"),
        *("Not", "Add", "Mul", "Pow", "Symbol", "Integer", "Rational", "Float", "ceiling"),
        *("floor", "Equality", "Unequality", "GreaterThan", "StrictGreaterThan", "LessThan"),
        "StrictLessThan",
    )
)
_CONSTANTS = frozenset(("oo", "int_oo", "true", "false"))
_WORD = re.compile(r"z?[a-z]{1,2}\d+|[\d.e+-]{1,30}")
_SHAPES = (
    ast.Expression,
    ast.Call,
    ast.keyword,
    ast.Name,
    ast.Load,
    ast.Constant,
    ast.BinOp,
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.Div,
    ast.FloorDiv,
    ast.Mod,
    ast.UnaryOp,
    ast.USub,
    ast.Compare,
    ast.Eq,
    ast.NotEq,
    ast.Lt,
    ast.LtE,
    ast.Gt,
    ast.GtE,
)
_NAME = re.compile(r"[\w.\-]*")
_PATH = re.compile(r"[\w.\- /:]*")
_CONTAINERS = (None, "builtins.tuple", "builtins.list", "builtins.dict", "collections.OrderedDict")


def check(file: Path) -> None:
    """Refuse a `.pt2` file that holds more than a graph and tensors.

    Raises:
        SourceError: It does, or it is damaged, or an old torch wrote it.
    """
    import torch

    try:
        reader = torch._C.PyTorchFileReader(str(file))
        names = list(reader.get_all_records())
        found = list(_entry_faults(names))
        for name in names:
            if name.endswith(".json") and not name.startswith("extra/"):
                found += _walk(json.loads(reader.get_record(name)), "")
    except (RuntimeError, ValueError, RecursionError) as error:
        raise SourceError(f"{file}: is cut short, or not a torch.export program") from error
    if not any(name.startswith("models/") for name in names):
        raise SourceError(
            f"{file}: holds no program that this torch reads: it is not from torch.export.save, or"
            " an old torch wrote it. Load it there, and save it with torch 2.9 or later"
        )
    if found:
        raise SourceError(
            f"{file}: was not loaded, as that could run code: {'; '.join(found[:5])}."
            " Export the model again with torch.export.save, without custom objects"
        )


def _entry_faults(names: list[str]) -> Iterator[str]:
    for name in names:
        if name.startswith("data/aotinductor/"):
            yield f"{name} is compiled code"
        elif name.startswith(("data/constants/custom_obj", "data/constants/opaque_obj")):
            yield f"{name} is a pickled object"


def _walk(said: object, key: str) -> Iterator[str]:
    """Check each string of a JSON document by the key that it stands under."""
    if isinstance(said, dict):
        if key == "range_constraints":
            yield from (f"a range for {_short(name)}" for name in said if not _is_size(name))
        for inner, value in said.items():
            yield from _walk(value, inner)
    elif isinstance(said, list):
        for value in said:
            yield from _walk(value, key)
    elif isinstance(said, str) and key in _CHECKS and not _CHECKS[key](said):
        yield f"{key} {_short(said)}"


def _is_operator(text: str) -> bool:
    return _OPERATOR.fullmatch(text) is not None


def _is_size(text: str) -> bool:
    """Tell whether an expression has nothing but symbols, numbers and known functions."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return all(_is_harmless(node) for node in ast.walk(tree))


def _is_harmless(node: ast.AST) -> bool:
    match node:
        case ast.Name(id=name):
            return name in _FUNCTIONS | _CONSTANTS or _WORD.fullmatch(name) is not None
        case ast.Call(func=function):
            return isinstance(function, ast.Name) and function.id in _FUNCTIONS
        case ast.Constant(value=str() as text):
            return _WORD.fullmatch(text) is not None
        case ast.Constant(value=value):
            return isinstance(value, int | float)
        case _:
            return isinstance(node, _SHAPES)


def _is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None


def _is_path(text: str) -> bool:
    return _PATH.fullmatch(text) is not None and ".." not in text.split("/")


def _is_tree(text: str) -> bool:
    """Tell whether inputs or outputs are arranged in plain containers with plain keys."""
    try:
        _, tree = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return text == ""
    return _is_plain(tree)


def _is_plain(tree: object) -> bool:
    if not isinstance(tree, dict) or tree.get("type") not in _CONTAINERS:
        return False
    keys = json.loads(tree.get("context") or "null")
    plain = keys is None or (
        isinstance(keys, list) and all(isinstance(key, str | int) for key in keys)
    )
    return plain and all(map(_is_plain, tree.get("children_spec", [])))


def _short(text: str) -> str:
    return repr(text if len(text) < 60 else f"{text[:57]}...")


_CHECKS: dict[str, Callable[[str], bool]] = {
    "target": _is_operator,
    "as_operator": _is_operator,
    "expr_str": _is_size,
    "name": _is_name,
    "as_name": _is_name,
    "forward_arg_names": _is_name,
    "path_name": _is_path,
    "parameter_name": _is_path,
    "buffer_name": _is_path,
    "tensor_constant_name": _is_path,
    "fqn": _is_path,
    "in_spec": _is_tree,
    "out_spec": _is_tree,
}
