"""Train the digits network on the images that scikit-learn ships.

Run: python workflows/prepare/digits.py
"""

import sys
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from sklearn.datasets import load_digits

HERE = Path(__file__).resolve().parent
OUT = HERE.parent / "data" / "digits"
EPOCHS = 8
HELD_OUT = 360


def train(images: torch.Tensor, labels: torch.Tensor) -> torch.nn.Module:
    """Fit by Adam on the cross entropy."""
    sys.path.insert(0, str(HERE.parent / "models"))
    from digits import build  # noqa: PLC0415 - the path above makes it importable

    torch.set_num_threads(1)  # the steps are too small to share between threads
    torch.manual_seed(7)
    model = build()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(EPOCHS):
        for batch in torch.randperm(len(labels)).split(64):
            loss = torch.nn.functional.cross_entropy(model(images[batch]), labels[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return model.eval()


def main() -> None:
    """Hold out the last images; train on the others."""
    OUT.mkdir(parents=True, exist_ok=True)
    digits = load_digits()
    images = (digits.images[:, None] / 16).astype(np.float32)
    labels = digits.target.astype(np.int64)
    model = train(torch.tensor(images[:-HELD_OUT]), torch.tensor(labels[:-HELD_OUT]))
    save_file(model.state_dict(), OUT / "weights.safetensors")
    np.savez(OUT / "held_out.npz", image=images[-HELD_OUT:], label=labels[-HELD_OUT:])
    print(f"wrote {OUT / 'weights.safetensors'} and {HELD_OUT} held-out images")


if __name__ == "__main__":
    main()
