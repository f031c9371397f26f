"""Lay out PP-OCR's finder of text, which rapidocr-onnxruntime ships.

Run: python workflows/prepare/detection.py
"""

import numpy as np
from shipped import DATA, copy_model, package_folder, photographs

OUT = DATA / "detection"

#: Of the images that the model was trained on, by colour.
MEAN = np.array([0.485, 0.456, 0.406], np.float32).reshape(3, 1, 1)
DEVIATION = np.array([0.229, 0.224, 0.225], np.float32).reshape(3, 1, 1)


def main() -> None:
    """Copy the ONNX file, and cut pictures of 160 x 256 pixels."""
    models = package_folder("rapidocr_onnxruntime", "rapidocr-onnxruntime") / "models"
    copy_model(models / "ch_PP-OCRv4_det_infer.onnx", OUT)
    pictures = photographs(160, 256, 128, 192)[:8]
    np.savez(OUT / "pictures.npz", x=(pictures / 255 - MEAN) / DEVIATION)


if __name__ == "__main__":
    main()
