"""Lay out PP-OCR's text orientation classifier, its weights in a file of their own.

Run: python workflows/prepare/orientation.py
The model is the one that rapidocr-onnxruntime ships; the samples are cut from the photographs
that scikit-learn ships.
"""

import numpy as np
import onnx
from onnx import numpy_helper
from shipped import DATA, package_folder, photographs

OUT = DATA / "orientation"


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
    models = package_folder("rapidocr_onnxruntime", "rapidocr-onnxruntime") / "models"
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / "model.onnx.data").unlink(missing_ok=True)
    onnx.save(
        as_initializers(onnx.load(models / "ch_ppocr_mobile_v2.0_cls_infer.onnx")),
        OUT / "model.onnx",
        save_as_external_data=True,
        location="model.onnx.data",
        size_threshold=1024,
    )
    np.savez(OUT / "patches.npz", x=photographs(48, 192, 96, 192) / 127.5 - 1)
    print(f"wrote {OUT / 'model.onnx'} and its samples")


if __name__ == "__main__":
    main()
