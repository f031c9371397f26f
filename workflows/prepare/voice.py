"""Lay out Silero's detector of voices at 16 kHz, which silero-vad ships.

Run: python workflows/prepare/voice.py
"""

import shutil

from shipped import DATA, package_folder

OUT = DATA / "voice"


def main() -> None:
    """Copy the ONNX file."""
    models = package_folder("silero_vad", "silero-vad") / "data"
    OUT.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(models / "silero_vad_16k_op15.onnx", OUT / "model.onnx")
    print(f"wrote {OUT / 'model.onnx'}")


if __name__ == "__main__":
    main()
