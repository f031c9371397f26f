"""`pipeline check`: find the faults of a job without running it."""

from pipeline.commands.job_argument import JobFile
from pipeline.commands.store_options import AsJson
from pipeline.job.fault import as_records
from pipeline.job.fitting import fit_samples
from pipeline.job.load import load_job
from pipeline.showing import console
from pipeline.showing.progress import counted
from registry.errors import JobError


def check(
    job: JobFile,
    *,
    as_json: AsJson = False,
) -> None:
    """Find every fault of a job and of its samples; nothing is run and nothing is written.

    Targets that this host cannot run, for want of CPU flags, are told and are no faults.
    """
    from pipeline.planning.able import unfit  # noqa: PLC0415  the command's help starts fast
    from targets.host.cpu import host  # noqa: PLC0415

    try:
        found = load_job(job)
        rows, odd = fit_samples(found, job)
    except JobError as error:
        if as_json:
            console.emit({"job": str(job), "valid": False, "faults": as_records(job, error)})
        raise
    targets = [target.name for target in found.targets]
    beyond = unfit(found.targets, host())
    if as_json:
        record: dict[str, console.Json] = {"job": str(job), "valid": True, "model": found.model}
        console.emit(record | {"targets": targets, "samples": rows, "odd": odd, "unable": beyond})
        return
    console.say(f"{job}: {found.model} for {', '.join(targets)}: no faults")
    if rows is not None:
        console.say(f"samples: {counted(rows, 'row')} fit")
    for oddity in odd:
        console.say(oddity)
    for fault in beyond:
        console.say(fault)
