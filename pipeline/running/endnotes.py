"""What stands below the tables at a run's end: what was not begun, not compared, and remarked."""

from collections.abc import Iterator

from pipeline.record import RunRecord
from pipeline.showing.progress import counted

#: Who remarks on the user's model, weights and samples; what tools warn of is in the report.
OURS = ("samples", "checkpoint", "split", "calibration", "parity")

#: So many are shown; the others are in the report.
_SHOWN = 5


def not_begun(record: RunRecord) -> Iterator[str]:
    """Say in one line how many stages were not reached."""
    if count := sum(stage.outcome == "skipped" for stage in record.stages):
        were = "was" if count == 1 else "were"
        yield f"{counted(count, 'stage')} {were} not begun"


def refused_alike(record: RunRecord) -> Iterator[str]:
    """Say of each target how many of its cases there was nothing to compare of."""
    for validation in record.validations:
        for parity in validation.parity[-1:]:
            if parity.refused_alike:
                yield (
                    f"{validation.target}: {counted(parity.cases, 'case')} compared; "
                    f"{parity.refused_alike} more were refused by the original and here alike"
                )


def remarks(record: RunRecord) -> Iterator[str]:
    """Give the remarks on the model, as far as there are few of them."""
    told = [("split", one) for one in (record.split.remarks if record.split else ())]
    told += [(stage.name, one) for stage in record.stages for one in stage.remarks]
    ours = list(dict.fromkeys((where, one.text) for where, one in told if one.by in OURS))
    for where, text in ours[:_SHOWN]:
        yield f"remark of {where}: {text}"
    if len(ours) > _SHOWN:
        yield f"{counted(len(ours) - _SHOWN, 'more remark')}: see the report"
