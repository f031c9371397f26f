"""Named parts, and which target each is for."""

from collections.abc import Iterator
from pathlib import Path

from pipeline.job.fault import Fault
from pipeline.job.nearest import did_you_mean
from pipeline.job.node import Node
from pipeline.toolchains import CURRENT
from registry.composition import AROUND, DENSE
from targets import TARGETS


def have_names_of_their_own(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse to call a part as what comes before or after the model is called."""
    for part in job["split"]["parts"]:
        if part["name"].text in AROUND:
            message = f"`{part['name'].text}` is what the job's block of that name becomes"
            yield Fault(part["name"].place, message)


def end_somewhere(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse a part that does not say where it ends, and a last one that does."""
    parts = tuple(job["split"]["parts"])
    if len(parts) == 1:
        message = "one part is no cut; name two or more, or take `parts` out"
        yield Fault(parts[0].place, message)
        return
    for part in parts[:-1]:
        if part.entries is not None and not tuple(part["until"]):
            message = (
                "which nodes does this part end with? Add until: [...]; only the last part, which "
                "has what is left, goes without"
            )
            yield Fault(part["name"].place, message)
    if parts and parts[-1]["until"]:
        message = "the last part has what is left: take `until` out, or add a part after it"
        yield Fault(parts[-1].keys()["until"], message)


def are_placed(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse a placement that leaves a part out, or that names what there is not."""
    cut = [text for part in job["split"]["parts"] if (text := part["name"].text)]
    around = [name for name in AROUND if job[name]]
    parts = cut or [DENSE] if cut or around else []
    targets = [text for target in job["targets"] if (text := target["name"].text)]
    for placement in job["placements"]:
        if not parts:
            message = "there are no parts to place: name them in `split.parts`, or take this out"
            yield Fault(placement.place, message)
            continue
        given = placement["parts"]
        for name, key in given.keys().items():
            if name not in (known := [*parts, *around]):
                yield Fault(key, f"no part is called `{name}`{did_you_mean(name, known)}")
        placed = given.entries or {}
        lacking = [name for name in parts if name not in placed]
        if lacking and given.entries is not None:
            message = f"for which target {_are(lacking)}? Every part has to be placed"
            yield Fault(placement["name"].place, message)
        for name, node in _placed(given):
            if node.text is not None and node.text not in targets:
                hint = did_you_mean(node.text, targets)
                yield Fault(node.place, f"part `{name}`: no target is called `{node.text}`{hint}")


def use_every_target(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse a target that no placement uses: nothing would be built for it."""
    placements = tuple(job["placements"])
    used = {node.text for one in placements for _, node in _placed(one["parts"])}
    for target in job["targets"]:
        name = target["name"]
        if placements and name.text is not None and name.text not in used:
            message = f"no placement uses `{name.text}`; place a part on it, or take it out"
            yield Fault(name.place, message)


def run_in_one_process(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse a placement whose targets need environments or allocators of their own."""
    targets = {target["name"].text: target for target in job["targets"]}
    for placement in job["placements"]:
        placed = [
            (node, targets[node.text])
            for _, node in _placed(placement["parts"])
            if node.text in targets
        ]
        for what, of, said in _OF_A_PROCESS:
            first = placed[0] if placed else None
            for node, target in placed[1:]:
                if first and of(target) != of(first[1]):
                    message = (
                        f"`{node.text}` runs {said(of(target))} and `{first[0].text}` "
                        f"{said(of(first[1]))}: the parts of a build run in one process, which "
                        f"has one {what}; place them on targets that share it"
                    )
                    yield Fault(node.place, message)


def _placed(parts: Node) -> Iterator[tuple[str, Node]]:
    for name, entry in (parts.entries or {}).items():
        yield name, entry.value


def _toolchain(target: Node) -> str:
    usual = {row.runtime: row.toolchain for row in TARGETS}
    runtime = target["runtime"].text or ""
    return target["toolchain"].text or usual.get(runtime, CURRENT)


def _allocator(target: Node) -> str:
    return target["allocator"].text or "default"


def _in(toolchain: str) -> str:
    here = toolchain == CURRENT
    return "in the environment of this command" if here else f"in the toolchain {toolchain}"


def _with(allocator: str) -> str:
    usual = allocator == "default"
    return "with the system's allocator" if usual else f"with the allocator {allocator}"


#: What a process has one of: which one a target needs, and how that is said.
_OF_A_PROCESS = (("toolchain", _toolchain, _in), ("allocator", _allocator, _with))


def _are(names: list[str]) -> str:
    quoted = ", ".join(f"`{name}`" for name in names)
    return f"is {quoted}" if len(names) == 1 else f"are {quoted}"
