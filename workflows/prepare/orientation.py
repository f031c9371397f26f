"""Lay out PP-OCR's text orientation classifier, its weights in a file of their own.

Run: python workflows/prepare/orientation.py
The model is the one that rapidocr-onnxruntime ships; the samples are cut from the photographs
that scikit-learn ships.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from sklearn.datasets import load_sample_images

OUT = Path(__file__).resolve().parent.parent / "data" / "orientation"
HEIGHT, WIDTH = 48, 192


def patches() -> np.ndarray:
    """Cut patches of [3, 48, 192] from the photographs, scaled to -1..1."""
    cuts = [
        photo[top : top + HEIGHT, left : left + WIDTH]
        for photo in load_sample_images().images
        for top in range(0, photo.shape[0] - HEIGHT, 96)
        for left in range(0, photo.shape[1] - WIDTH, 192)
    ]
    return (np.stack(cuts).transpose(0, 3, 1, 2) / 127.5 - 1).astype(np.float32)


def as_initializers(model: onnx.ModelProto) -> onnx.ModelProto:
    """Store weights as such: the file has them as constants, which never lie outside of it."""
    constants = [node for node in model.graph.node if node.op_type == "Constant"]
    for node in constants:
        value = numpy_helper.to_array(node.attribute[0].t)
        model.graph.initializer.append(numpy_helper.from_array(value, node.output[0]))
        model.graph.node.remove(node)
    return model


def main() -> None:
    """Move the weights out of the ONNX file; keep what shapes are made of inside."""
    spec = find_spec("rapidocr_onnxruntime")
    if spec is None or spec.origin is None:
        sys.exit("rapidocr-onnxruntime is not installed. Run: make demo")
    OUT.mkdir(parents=True, exist_ok=True)
    shipped = Path(spec.origin).parent / "models" / "ch_ppocr_mobile_v2.0_cls_infer.onnx"
    (OUT / "model.onnx.data").unlink(missing_ok=True)
    onnx.save(
        as_initializers(onnx.load(shipped)),
        OUT / "model.onnx",
        save_as_external_data=True,
        location="model.onnx.data",
        size_threshold=1024,
    )
    np.savez(OUT / "patches.npz", x=patches())
    print(f"wrote {OUT / 'model.onnx'} and its samples")


if __name__ == "__main__":
    main()
