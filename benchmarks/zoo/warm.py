"""Export a layer once, on import: what frameworks load late is then there for every child."""

import logging
import warnings

import torch


def warm_up() -> None:
    """Export a layer to ONNX."""
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    batch = {0: torch.export.Dim.AUTO}
    example = (torch.ones(2, 2),)
    program = torch.export.export(torch.nn.Linear(2, 2).eval(), example, dynamic_shapes=[batch])
    torch.onnx.export(program, dynamo=True, verbose=False)
    logging.disable(logging.NOTSET)
    warnings.resetwarnings()


warm_up()
