"""What packages ship, found without importing them; and patches of real photographs."""

import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from sklearn.datasets import load_sample_images

DATA = Path(__file__).resolve().parent.parent / "data"


def package_folder(module: str, package: str) -> Path:
    """Return where a package lies."""
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        sys.exit(f"{package} is not installed. Run: make demo")
    return Path(spec.origin).parent


def copy_model(shipped: Path, out: Path) -> None:
    """Copy an ONNX file to `model.onnx` of a folder."""
    out.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(shipped, out / "model.onnx")
    print(f"wrote {out / 'model.onnx'}")


def photographs(height: int, width: int, down: int, across: int) -> np.ndarray:
    """Cut patches out of the photographs that scikit-learn ships, every so many pixels.

    Returns:
        [N, 3, height, width], float32, 0 to 255.
    """
    cuts = [
        photo[top : top + height, left : left + width]
        for photo in load_sample_images().images
        for top in range(0, photo.shape[0] - height, down)
        for left in range(0, photo.shape[1] - width, across)
    ]
    return np.stack(cuts).transpose(0, 3, 1, 2).astype(np.float32)
