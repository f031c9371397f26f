"""Lay out Basic Pitch, which hears notes in a recording, as its TensorFlow SavedModel, and chords.

Run: python workflows/prepare/notes.py
basic-pitch ships the model; the samples are two seconds each of sung or plucked chords, made here.
"""

import shutil

import numpy as np
from shipped import DATA, package_folder

OUT = DATA / "notes"

#: Samples a second, and what the model takes at a time.
RATE, WINDOW = 22050, 43844
CHORDS = ((220.0, 277.2, 329.6), (196.0, 246.9, 293.7, 392.0), (440.0,), (82.4, 123.5, 164.8))


def chord(pitches: tuple[float, ...], decay: float, seed: int) -> np.ndarray:
    """Sound notes with six overtones each, one after another, over a little noise."""
    time = np.arange(WINDOW) / RATE
    sound = 1e-3 * np.random.default_rng(seed).standard_normal(WINDOW)
    for number, pitch in enumerate(pitches):
        since = time - 0.15 * number
        loud = np.where(since > 0, np.exp(-decay * np.maximum(since, 0)), 0)
        for tone in range(1, 7):
            sound += loud * np.sin(2 * np.pi * pitch * tone * since) / tone**1.5
    return (0.5 * sound / np.abs(sound).max()).astype(np.float32)


def main() -> None:
    """Copy the SavedModel, and sound every chord slowly and fast."""
    models = package_folder("basic_pitch", "basic-pitch") / "saved_models" / "icassp_2022"
    shutil.rmtree(OUT / "model", ignore_errors=True)
    shutil.copytree(models / "nmp", OUT / "model")
    sounds = [chord(pitches, decay, at) for at, pitches in enumerate(CHORDS) for decay in (0.5, 4)]
    np.savez(OUT / "chords.npz", input_2=np.stack(sounds)[..., None])
    print(f"wrote {OUT / 'model'} and its samples")


if __name__ == "__main__":
    main()
