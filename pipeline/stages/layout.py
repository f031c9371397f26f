"""Lay out a version's folder from what earlier tasks left, by links."""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pipeline.stages.part import read_part, read_split
from pipeline.stages.placed import WantedBuild
from pipeline.stages.tables import Tables
from registry.composition import Artifact, Split, Table


@dataclass(frozen=True)
class Pieces:
    """The pieces of a model that all its builds share, and where they lie."""

    split: Split
    tables: tuple[Table, ...]
    split_folder: Path
    tables_folder: Path


def read_pieces(inputs: Mapping[str, Path]) -> Pieces:
    """Read the outputs of the split and the tables task."""
    written = Tables.model_validate_json((inputs["tables"] / "tables.json").read_bytes())
    return Pieces(read_split(inputs["split"]), written.tables, inputs["split"], inputs["tables"])


def link_pieces(pieces: Pieces, folder: Path) -> None:
    """Link the ids programs, the vocabularies and the tables into a version's folder."""
    for program in pieces.split.id_programs:
        link(pieces.split_folder / program.folder, folder / program.folder)
    for vocabulary in pieces.split.vocabularies:
        link(pieces.split_folder / vocabulary.file, folder / vocabulary.file)
    for table in pieces.tables:
        for shard in table.shards:
            link(pieces.tables_folder / shard.file, folder / shard.file)


def link_part(part_folder: Path, build: WantedBuild, part: str, folder: Path) -> Artifact:
    """Link a part of a build into a version's folder and return it as it lies there."""
    artifact, place = read_part(part_folder, part), build.folder_of(part)
    link(part_folder / artifact.folder, folder / place)
    return artifact.model_copy(update={"folder": place})


def link(source: Path, place: Path) -> None:
    """Link a file, or all files of a folder; copy where the disk has no links."""
    if source.is_dir():
        for entry in source.iterdir():
            link(entry, place / entry.name)
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, place)
    except OSError:
        shutil.copyfile(source, place)
