"""Imports point one way, and frameworks stay inside functions."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAY_IMPORT = {
    "registry": {"registry"},
    "converters": {"converters", "registry"},
    "targets": {"targets", "registry"},
    "pipeline": {"pipeline", "converters", "targets", "registry"},
}
FRAMEWORKS = {
    "torch", "openvino", "onnx", "onnxscript", "onnx_ir", "onnxruntime", "pandas", "pyarrow",
    "tensorflow", "ray", "transformers", "intel_extension_for_pytorch",
    "sklearn", "skl2onnx", "skops",
}  # fmt: skip
FILES = sorted(path for package in MAY_IMPORT for path in (ROOT / package).rglob("*.py"))


def imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def at_load(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run when the module is imported: not those of functions."""
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(statement, ast.If) and "TYPE_CHECKING" in ast.unparse(statement.test):
            continue
        yield statement
        for field in ("body", "orelse", "finalbody"):
            yield from at_load(getattr(statement, field, []))


def test_there_are_files_to_check():
    assert len(FILES) > 40


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_one_way(path):
    package = path.relative_to(ROOT).parts[0]
    ours = {name.split(".")[0] for name in imports(ast.parse(path.read_text()))} & set(MAY_IMPORT)
    assert ours <= MAY_IMPORT[package]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_frameworks_are_imported_where_they_are_used(path):
    top = at_load(ast.parse(path.read_text()).body)
    loaded = {
        name.split(".")[0]
        for node in top
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in imports(node)
    }
    assert not loaded & FRAMEWORKS


def test_no_import_goes_in_a_circle():
    known = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in FILES
    }
    graph = {}
    for module, path in known.items():
        nodes = [
            n
            for n in at_load(ast.parse(path.read_text()).body)
            if isinstance(n, ast.Import | ast.ImportFrom)
        ]
        named = {
            f"{node.module}.{alias.name}"
            for node in nodes
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        wanted = {name for node in nodes for name in imports(node)} | named
        graph[module] = {name for name in wanted & set(known) if name != module}
    done: set[str] = set()

    def visit(module: str, trail: tuple[str, ...]) -> None:
        assert module not in trail, " -> ".join((*trail, module))
        if module not in done:
            for wanted in graph[module]:
                visit(wanted, (*trail, module))
            done.add(module)

    for module in graph:
        visit(module, ())


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_no_folder_of_a_package_imports_back_into_one_that_imports_it(package):
    graph: dict[str, set[str]] = {}
    for path in (ROOT / package).rglob("*.py"):
        own = path.relative_to(ROOT / package).parts
        for name in imports(ast.parse(path.read_text())) if len(own) > 1 else ():
            parts = name.split(".")
            if parts[0] == package and len(parts) > 1 and (ROOT / package / parts[1]).is_dir():
                graph.setdefault(own[0], set()).add(parts[1])
    both = [
        f"{package}/{one} <-> {package}/{other}"
        for one, wanted in graph.items()
        for other in wanted
        if one < other and one in graph.get(other, ())
    ]
    assert both == []


def test_only_the_command_line_prints():
    writers = {
        str(path.relative_to(ROOT))
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    }
    assert all(
        name.startswith(("pipeline/cli.py", "pipeline/showing/console.py")) for name in writers
    ), writers


def test_ipex_can_be_taken_out():
    """A toolchain, a room and its rows of converters, a target: nothing else imports them."""
    tables = {"pipeline/toolchains/__init__.py", "converters/__init__.py", "targets/__init__.py"}
    places = [path.relative_to(ROOT) for path in FILES]
    own = {str(path) for path in places if "ipex" in path.stem or "ipex" in path.parts}
    importers = set()
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                names = {f"{node.module}.{alias.name}" for alias in node.names}
                if any("ipex" in name.lower() for name in names):
                    importers.add(str(path.relative_to(ROOT)))
    assert len(own) >= 4
    assert importers <= tables | own


def test_nothing_asserts_outside_of_tests():
    culprits = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Assert)
    ]
    assert culprits == []
