"""Write a run's report: one page that works offline, and the same in JSON."""

from pathlib import Path

from pipeline.record import RunRecord
from pipeline.report.flow_picture import flow_picture
from pipeline.report.histogram import histogram
from pipeline.report.operators import compare_operators
from pipeline.report.roads import compare_roads
from pipeline.showing.progress import counted, duration, size
from registry.composition import Artifact, Remark
from registry.web.render import fixed
from registry.web.words import latency

PAGE, DATA = "index.html", "report.json"


def write_report(record: RunRecord, out: Path) -> Path:
    """Write `index.html` and `report.json` into a folder and return the page's path.

    The page is one file: no scripts, no fonts, nothing from the network.
    """
    out.mkdir(parents=True, exist_ok=True)
    (out / DATA).write_text(record.model_dump_json(indent=1, by_alias=True) + "\n")
    page = out / PAGE
    page.write_text(render(record))
    return page


def render(record: RunRecord) -> str:
    """Return the page. Whatever a job or a tool said is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415  loads slowly
    from markupsafe import Markup  # noqa: PLC0415

    environment = Environment(
        loader=PackageLoader("pipeline.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(size=size, duration=duration, latency=latency, error=error_text)
    split = record.split
    return environment.get_template("page.html.j2").render(
        run=record,
        look=Markup(fixed("look.css").decode()),  # noqa: S704  ours
        counted=counted,
        flow=flow_picture(split, record.cut) if split else None,
        parts=_parts(record),
        operators=compare_operators(split) if split else (),
        histogram=histogram,
        warned=_warned(record),
        roads=compare_roads(record),
        longest=max((s.usage.seconds for s in record.stages if s.usage), default=0) or 1,
    )


def _parts(record: RunRecord) -> tuple[Artifact, ...]:
    """Return what runs one after the other; nothing where that is the dense part alone."""
    split = record.split
    if split is None:
        return ()
    around = (split.preprocess, *(record.cut or (split.dense,)), split.postprocess)
    parts = tuple(part for part in around if part)
    return parts if len(parts) > 1 else ()


def _warned(record: RunRecord) -> tuple[tuple[str, Remark], ...]:
    """Give what tools warned of, and in which stage, but for what stands with the split."""
    told = record.split.remarks if record.split else ()
    return tuple(
        (stage.name, remark)
        for stage in record.stages
        for remark in stage.remarks
        if remark not in told
    )


def error_text(number: float) -> str:
    """Write an error: '0', '3.2e-07', '0.0125'."""
    return f"{number:.2g}" if number else "0"
