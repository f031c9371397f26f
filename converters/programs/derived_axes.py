"""Axes that are multiples of a symbol (`32*s17`), in programs that were read from files."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch.export import ExportedProgram


def forget_derived_ranges(program: "ExportedProgram") -> None:
    """Leave symbols alone among those that have ranges.

    Torch writes a range of each axis that the inputs have, and takes all of them for symbols when
    it reads them; exporting such a program again stops at an assertion.
    """
    from torch._guards import detect_fake_mode

    values = [node.meta.get("val") for node in program.graph.nodes if node.op == "placeholder"]
    mode = detect_fake_mode([value for value in values if value is not None])
    known = mode.shape_env.var_to_range if mode and mode.shape_env else {}
    for derived in [symbol for symbol in known if not symbol.is_Symbol]:
        del known[derived]
