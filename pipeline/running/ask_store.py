"""Ask the store that a run will push to before its first stage: minutes of work lie between."""

from collections.abc import Iterable

from pipeline.planning.steps import Step
from pipeline.stages.push import Options, store_of
from registry.errors import StoreError


def ask_store(steps: Iterable[Step]) -> None:
    """Have a look at the store, and write nothing.

    Raises:
        StoreError: It cannot be reached, is not there, or refuses.
    """
    for step in steps:
        if step.task.stage == "push":
            try:
                store_of(Options.model_validate(step.task.options), step.task.folder).check_access()
            except StoreError as error:
                raise StoreError(
                    f"{error}\nThe store was asked first, so that nothing is converted in vain. "
                    "To convert all the same: pipeline run --no-push"
                ) from error
