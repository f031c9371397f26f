"""What has to hold between the blocks of a job: one function a check, one row a function.

A check sees the nodes, not the models, so that it also works on a file that is wrong
elsewhere; what a node is not, reads as absent.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from pipeline.job.checks import (
    axes,
    files,
    ids,
    names,
    parity,
    parts,
    processing,
    push,
    samples,
    targets,
    toolchains,
)
from pipeline.job.fault import Fault
from pipeline.job.node import Node

#: Finds faults of the job whose file lies in the folder.
Check = Callable[[Node, Path], Iterator[Fault]]

CHECKS: tuple[Check, ...] = (
    names.are_unique,
    axes.are_declared,
    axes.are_used,
    axes.are_ranges,
    axes.batches_are_of_any_size,
    axes.sizes_are_sizes,
    ids.have_a_range,
    ids.fit_the_shape,
    ids.fit_the_dtype,
    ids.hold_the_padding,
    ids.offsets_cut_ids,
    ids.say_one_thing,
    ids.ranges_run_upwards,
    samples.are_of_a_known_kind,
    samples.fill_the_inputs,
    samples.are_enough_to_record,
    parity.names_known_outputs,
    parity.has_labels_for_metrics,
    parity.batches_are_in_range,
    processing.is_of_a_known_kind,
    processing.takes_what_there_is,
    processing.goes_with_the_source,
    files.are_of_the_kind,
    files.exist,
    targets.name_flags,
    targets.have_the_flags,
    targets.calibrate_on_samples,
    targets.take_a_road_that_there_is,
    toolchains.hold_the_runtime,
    parts.have_names_of_their_own,
    parts.end_somewhere,
    parts.are_placed,
    parts.use_every_target,
    parts.run_in_one_process,
    push.goes_to_a_store,
    push.names_a_channel,
)


def check(root: Node, folder: Path) -> Iterator[Fault]:
    """Run every check."""
    for find in CHECKS:
        yield from find(root, folder)
