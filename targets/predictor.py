"""A version, opened: pre-processing → ids → lookups → the parts of a build, from one folder."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from registry.errors import ContractError, IntegrityError
from registry.manifest import Build, Draft
from registry.signature import Axis, Input, Precision, Signature
from targets.chain import Chain, load_chain, missing_from
from targets.embedding.part import EmbeddingPart
from targets.host.contract import check_build
from targets.host.cpu import host
from targets.inputs import check_inputs, check_kept_ids
from targets.target import Arrays


class Predictor:
    """Answers like the model that the version was made from. Safe to call from several threads.

    Attributes:
        signature: Of the whole model.
    """

    def __init__(self, draft: Draft, embedding: EmbeddingPart, chain: Chain) -> None:
        self.signature: Signature = draft.signature
        self.inputs: tuple[Input, ...] = draft.inputs
        self.axes: Mapping[str, Axis] = draft.axes
        self._embedding = embedding
        self._chain = chain
        taken = {name for link in chain.links for name in link.takes}
        known = (*draft.inputs, *draft.handed)
        self._kept = tuple(one for one in known if one.ids and one.name in taken)

    def predict(self, inputs: Arrays) -> dict[str, np.ndarray]:
        """Answer one batch.

        Args:
            inputs: Every input by name, with its dtype and shape.

        Returns:
            Every output by name, in the signature's order and dtypes.

        Raises:
            InputError: With every fault of the inputs.
        """
        answers = self._chain.run(self.feeds(inputs))
        return {tensor.name: answers[tensor.name] for tensor in self.signature.outputs}

    def feeds(self, inputs: Arrays) -> dict[str, np.ndarray]:
        """Return what the parts of a build find before the first one runs: inputs and vectors.

        Raises:
            InputError: With every fault of the inputs.
        """
        check_inputs(inputs, self.inputs, self.axes)
        return self._looked_up(self._chain.prepare(inputs))

    def _looked_up(self, prepared: Arrays) -> dict[str, np.ndarray]:
        check_kept_ids(prepared, self._kept)
        return self._embedding.run(prepared)

    def by_part(self, inputs: Arrays) -> Iterator[tuple[str, Arrays, Arrays]]:
        """Yield for each part its name, what it is fed for a batch and what it answers.

        Raises:
            InputError: With every fault of the inputs.
        """
        values = self.feeds(inputs)
        for link in self._chain.ahead:
            yield link.name, {name: values[name] for name in link.takes}, link.run(values)
        for link in self._chain.links:
            answers = link.run(values)
            yield link.name, {name: values[name] for name in link.takes}, answers
            values |= answers

    def warm_up(self) -> None:
        """Answer zeros of the smallest shapes once: the first answer is the slowest."""
        sizes = {name: axis.least for name, axis in self.axes.items()}
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
        formats = sorted({table.rows_as for table in self._embedding.tables.values()})
        narrowed = {"rows": ", ".join(formats)} if formats not in ([], ["f32"]) else {}
        return {**self._chain.in_force(), **narrowed}

    def close(self) -> None:
        """Unmap the tables, once the last answer under way is given."""
        self._embedding.close()


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
        precision: What all parts compute in; as shipped if not given.
        threads: Intra-op threads of each part; 0 takes its contract's, or the host's physical
            cores.

    Raises:
        ContractError: This host cannot run the build, or there is none for the target.
        IntegrityError: A file is not what the manifest says.
    """
    build = _build(draft, target)
    check_build(build, host())
    chain = load_chain(folder, build, precision, threads)
    embedding = EmbeddingPart.open(folder, draft)
    wanted = [tensor.name for tensor in draft.signature.outputs]
    if missing := missing_from(chain, embedding.given, wanted):
        raise IntegrityError(f"{draft.model}: no part gives {', '.join(sorted(missing))}")
    return Predictor(draft, embedding, chain)


def _build(draft: Draft, target: str) -> Build:
    for build in draft.builds:
        if build.target == target:
            return build
    known = ", ".join(build.target for build in draft.builds)
    raise ContractError(f"{draft.model} has no build for '{target}'; it has {known}")
