"""A version, opened: ids → lookups → dense, from one folder."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from registry.errors import ContractError, IntegrityError
from registry.manifest import Build, Draft
from registry.signature import Axis, Input, Precision, Signature, same_but_unnamed
from targets import find_target
from targets.embedding.ids import IdsProgram
from targets.embedding.lookups import look_up
from targets.embedding.tables import MappedTable, open_table
from targets.host.contract import check
from targets.host.cpu import host, thread_plan
from targets.inputs import check_inputs, check_kept_ids
from targets.target import Arrays, Runner


class Predictor:
    """Answers like the model that the version was made from. Safe to call from several threads.

    Attributes:
        signature: Of the whole model.
    """

    def __init__(
        self, draft: Draft, ids: IdsProgram | None, tables: dict[str, MappedTable], dense: Runner
    ) -> None:
        self.signature: Signature = draft.signature
        self.inputs: tuple[Input, ...] = draft.inputs
        self.axes: Mapping[str, Axis] = draft.axes
        self._ids = ids
        self._tables = tables
        self._lookups = draft.lookups
        self._dense = dense
        self._taken = tuple(tensor.name for tensor in dense.signature.inputs)
        self._kept = tuple(one for one in draft.inputs if one.ids and one.name in self._taken)

    def predict(self, inputs: Arrays) -> dict[str, np.ndarray]:
        """Answer one batch.

        Args:
            inputs: Every input by name, with its dtype and shape.

        Returns:
            Every output by name, in the signature's order and dtypes.

        Raises:
            InputError: With every fault of the inputs.
        """
        answers = self._dense.run(self.feeds(inputs))
        return {tensor.name: answers[tensor.name] for tensor in self.signature.outputs}

    def feeds(self, inputs: Arrays) -> dict[str, np.ndarray]:
        """Return what the dense part is fed for a batch.

        Raises:
            InputError: With every fault of the inputs.
        """
        check_inputs(inputs, self.inputs, self.axes)
        check_kept_ids(inputs, self._kept)
        values = dict(inputs)
        if self._ids:
            values |= self._ids.run(inputs)
        for lookup in self._lookups:
            values[lookup.output] = look_up(lookup, self._tables[lookup.table], values)
        return {name: values[name] for name in self._taken}

    def warm_up(self) -> None:
        """Answer zeros of the smallest shapes once: the first answer is the slowest."""
        sizes = {name: max(1, axis.min) for name, axis in self.axes.items()}
        self.predict(
            {
                tensor.name: np.zeros(
                    [dim if isinstance(dim, int) else sizes.get(dim, 1) for dim in tensor.shape],
                    tensor.dtype.value,
                )
                for tensor in self.inputs
            }
        )

    def in_force(self) -> dict[str, str]:
        """Read back what is done: precision, threads, streams, device, and formats of rows."""
        formats = sorted({table.rows_as for table in self._tables.values()})
        narrowed = {"rows": ", ".join(formats)} if formats not in ([], ["f32"]) else {}
        return {**self._dense.in_force(), **narrowed}

    def close(self) -> None:
        """Unmap the tables, once the last answer under way is given."""
        for table in self._tables.values():
            table.close()


def open_predictor(
    folder: Path,
    draft: Draft,
    target: str,
    *,
    precision: Precision | None = None,
    threads: int = 0,
) -> Predictor:
    """Open a version for a target.

    Args:
        folder: The version's folder.
        precision: What the dense part computes in; as shipped if not given.
        threads: Intra-op threads; 0 takes the contract's, or the host's physical cores.

    Raises:
        ContractError: This host cannot run the build, or there is none for the target.
        IntegrityError: A file is not what the manifest says.
    """
    build = _build(draft, target)
    here = host()
    check(build.contract, here)
    runtime = find_target(build.runtime)
    plan = thread_plan(threads or build.contract.threads, here)
    dense = runtime.load(folder / build.dense.folder, precision or build.precision, plan)
    if not same_but_unnamed(dense.signature, build.dense.signature):
        raise IntegrityError(
            f"{folder / build.dense.folder}: the files have the signature {dense.signature}, "
            f"the manifest says {build.dense.signature}"
        )
    ids = IdsProgram(folder / draft.ids.folder) if draft.ids else None
    _check_wiring(draft, ids, dense)
    tables = {table.name: open_table(table, folder) for table in draft.tables}
    return Predictor(draft, ids, tables, dense)


def _build(draft: Draft, target: str) -> Build:
    for build in draft.builds:
        if build.target == target:
            return build
    known = ", ".join(build.target for build in draft.builds)
    raise ContractError(f"{draft.model} has no build for '{target}'; it has {known}")


def _check_wiring(draft: Draft, ids: IdsProgram | None, dense: Runner) -> None:
    """Refuse a composition in which something is taken that nothing gives."""
    given = {tensor.name for tensor in draft.inputs}
    taken = {tensor.name for tensor in ids.signature.inputs} if ids else set()
    missing = taken - given
    given |= set(ids.outputs) if ids else set()
    tables = {table.name for table in draft.tables}
    for lookup in draft.lookups:
        read = {lookup.ids, lookup.offsets, lookup.weights} - {None}
        missing |= {str(name) for name in read} - given
        missing |= {lookup.table} - tables
    given |= {lookup.output for lookup in draft.lookups}
    missing |= {tensor.name for tensor in dense.signature.inputs} - given
    wanted = {tensor.name for tensor in draft.signature.outputs}
    missing |= wanted - {tensor.name for tensor in dense.signature.outputs}
    if missing:
        raise IntegrityError(f"{draft.model}: no part gives {', '.join(sorted(missing))}")
