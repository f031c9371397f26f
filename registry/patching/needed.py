"""Which blobs a version is read from."""

from collections.abc import Collection, Iterable

from registry.manifest import File, Recipe, Version
from registry.read_blob import Named


def blobs_of(version: Version) -> dict[str, Named]:
    """Return all blobs that a version is read from, by digest, each with a file that needs it."""
    return {
        blob.digest: (name, blob) for name in version.files for blob in read_from(version, name)
    }


def read_from(version: Version, name: str) -> tuple[File, ...]:
    """Return the blobs that a file of a version is read from."""
    recipe = version.recipes.get(name)
    return (version.files[name],) if recipe is None else parts_of(recipe)


def parts_of(recipe: Recipe) -> tuple[File, ...]:
    """Return the blobs that a shard is made of."""
    return (recipe.base, *(step.rows for step in recipe.steps))


def without(version: Version, lost: Collection[str]) -> Version:
    """Leave out the recipes that need one of some blobs, so that those shards are kept whole."""
    recipes = {
        name: recipe
        for name, recipe in version.recipes.items()
        if all(part.digest not in lost for part in parts_of(recipe))
    }
    return version.model_copy(update={"recipes": recipes})


def lacking(version: Version, names: Iterable[str], there: Collection[str]) -> dict[str, int]:
    """Return the sizes of the blobs that a host has to fetch for some files, by digest.

    Args:
        there: Digests of the files, as they are when they are made, that the host has.
    """
    return {
        blob.digest: blob.size
        for name in names
        if version.files[name].digest not in there
        for blob in _rest(version, name, there)
        if blob.digest not in there
    }


def _rest(version: Version, name: str, there: Collection[str]) -> tuple[File, ...]:
    """Leave out what leads to a shard that is there already."""
    recipe = version.recipes.get(name)
    if recipe is None:
        return (version.files[name],)
    done = laid(recipe, there)
    return parts_of(recipe)[0 if done is None else done + 1 :]


def laid(recipe: Recipe, there: Collection[str]) -> int | None:
    """Return how many steps lead to the latest shard that is there, or None if none is."""
    stages = [recipe.base, *(step.gives for step in recipe.steps)]
    found = [at for at, stage in enumerate(stages) if stage.digest in there]
    return found[-1] if found else None


def faulty_recipes(version: Version) -> list[str]:
    """Say which files of a version could not be made as it says."""
    return [
        f"its recipe of {name!r} does not lead there"
        for name, recipe in version.recipes.items()
        if not recipe.steps
        or version.files.get(name) != recipe.steps[-1].gives
        or {step.gives.size for step in recipe.steps} != {recipe.base.size}
        or recipe.base.size == 0
    ]
