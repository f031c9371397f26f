"""Lay out Silero's detector of voices at 16 kHz, which silero-vad ships.

Run: python workflows/prepare/voice.py
"""

from shipped import DATA, copy_model, package_folder

OUT = DATA / "voice"


def main() -> None:
    """Copy the ONNX file."""
    models = package_folder("silero_vad", "silero-vad") / "data"
    copy_model(models / "silero_vad_16k_op15.onnx", OUT)


if __name__ == "__main__":
    main()
