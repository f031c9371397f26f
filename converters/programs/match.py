"""Hold a saved program against what the job says of its inputs."""

from dataclasses import replace
from typing import TYPE_CHECKING

from converters.brief import Brief
from converters.dtypes import dtype_of_torch
from converters.programs.signature import input_values
from registry.errors import SourceError
from registry.signature import Input

if TYPE_CHECKING:
    import torch
    from torch.export import ExportedProgram


def in_program_order(brief: Brief, program: "ExportedProgram") -> Brief:
    """Give the brief with its inputs in the program's order: by name, else as they stand.

    Raises:
        SourceError: The job's inputs are not the program's; every fault at once.
    """
    own = [str(name) for name in program.graph_signature.user_inputs]
    given = {one.name: one for one in brief.inputs}
    inputs = tuple(given[name] for name in own) if set(own) == set(given) else brief.inputs
    if len(own) != len(inputs):
        raise SourceError(
            f"the program takes {len(own)} inputs ({', '.join(own)}), the job has {len(inputs)}"
            f" ({', '.join(given)})"
        )
    values = input_values(program)
    faults = [f for one, value in zip(inputs, values, strict=True) for f in _faults(one, value)]
    if faults:
        raise SourceError("the job and the program do not agree: " + "; ".join(faults))
    return replace(brief, inputs=inputs)


def _faults(given: Input, value: "torch.Tensor") -> list[str]:
    dtype = dtype_of_torch(value.dtype)
    if dtype is not given.dtype:
        return [f"input '{given.name}' is {dtype} in the program, {given.dtype} in the job"]
    if len(value.shape) != len(given.shape):
        sizes = ", ".join(map(str, value.shape))
        return [f"input '{given.name}' has {len(value.shape)} axes in the program: [{sizes}]"]
    faults = []
    for at, (dim, size) in enumerate(zip(given.shape, value.shape, strict=True)):
        fixed = str(size).isdecimal()
        if isinstance(dim, str) and fixed:
            faults.append(
                f"axis '{dim}' is baked in at {size}, as axis {at} of input '{given.name}': export"
                " the program with that axis in dynamic_shapes, or give that size in the job"
            )
        elif isinstance(dim, int) and str(size) != str(dim):
            faults.append(f"axis {at} of input '{given.name}' is {size} in the program, not {dim}")
    return faults
