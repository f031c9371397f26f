"""Lay out PP-OCR's reader of text lines, which rapidocr-onnxruntime ships.

Run: python workflows/prepare/recognition.py
"""

import numpy as np
from shipped import DATA, copy_model, package_folder, photographs

OUT = DATA / "recognition"


def main() -> None:
    """Copy the ONNX file, and cut lines of 48 pixels, scaled to -1..1."""
    models = package_folder("rapidocr_onnxruntime", "rapidocr-onnxruntime") / "models"
    copy_model(models / "ch_PP-OCRv4_rec_infer.onnx", OUT)
    np.savez(OUT / "lines.npz", x=photographs(48, 160, 96, 160)[:16] / 127.5 - 1)


if __name__ == "__main__":
    main()
