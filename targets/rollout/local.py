"""Servers on this host: `pipeline serve`."""

from collections.abc import Iterator, Mapping
from contextlib import suppress

from registry.errors import PlatformError, RolloutError, ServeError
from registry.manifest import Build, Version
from targets.rollout.environment import Environment, Site, Step
from targets.serving.build import choose_build
from targets.serving.client import in_force, infer, is_there, reload
from targets.serving.compare import compare
from targets.serving.fetch import fetch, folder_of
from targets.serving.kept import Hold, tidy
from targets.serving.load import LoadOptions, load_folder
from targets.serving.presence import Presence, announced
from targets.serving.recorded import RecordedAnswers, read_recorded
from targets.target import Arrays


def prove(site: Site, version: Version) -> Iterator[Step]:
    """Check the contract, pull and verify, load beside what is live, compare the answers."""
    with Hold(folder_of(version, site.cache)):
        yield from _prove(site, version)


def _prove(site: Site, version: Version) -> Iterator[Step]:
    build = choose_build(version, site.target)
    yield Step("contract", f"this host can run {build.target} ({build.runtime})")
    folder = fetch(site.catalog, version, site.cache)
    size = sum(file.size for file in version.files.values())
    yield Step("pull", f"{len(version.files)} files, {size} bytes, all as published")
    recorded = _recorded(site, version)
    loaded = load_folder(folder, version, build, LoadOptions(site.cache, build.target))
    try:
        force = loaded.predictor.in_force()
        yield Step("load", ", ".join(f"{name} {value}" for name, value in force.items()))
        answers = loaded.predictor.predict(recorded.inputs)
        yield Step(
            "compare", _compare(answers, recorded, build, f"{version.model} {version.number}")
        )
    finally:
        loaded.predictor.close()


def confirm(site: Site, version: Version) -> Iterator[Step]:
    """Wait for each server of the channel, and compare what it answers over the wire."""
    recorded = _recorded(site, version)
    servers = _servers(site, version)
    for server in servers:
        where = f"the server at {server.host}:{server.port}"
        try:
            reload(server, site.patience)
            number, answers = infer(server, recorded.inputs)
            told = in_force(server)
        except ServeError as error:
            raise RolloutError(str(error)) from error
        if number != version.number:
            raise RolloutError(f"{where} answers with version {number}, not {version.number}")
        build = _served(version, told) or choose_build(version, site.target)
        compared = _compare(answers, recorded, build, where)
        yield Step("serve", f"{where}: {compared}; {_memory(build, told)}")
    if not servers:
        yield Step("serve", f"no server runs from {site.cache}; others see the channel move")
    folder = folder_of(version, site.cache)
    if gone := tidy(folder.parent, stays=folder.name):
        yield Step("tidy", f"removed from this host: {', '.join(gone)}; the store still has them")


def _served(version: Version, told: Mapping[str, str]) -> Build | None:
    """Find the build that a server says it answers with; an older server says nothing."""
    return next((one for one in version.builds if one.target == told.get("target")), None)


def _memory(build: Build, told: Mapping[str, str]) -> str:
    """Say which allocator a server has: it was chosen when the server began."""
    has, wanted = told.get("allocator", "unknown"), build.allocator
    if has == wanted:
        return f"allocator {has}"
    return f"allocator {has}, and {build.target} asks for {wanted}: start the server anew"


def settle(site: Site, version: Version) -> None:
    """Send the servers back to what the channel points to."""
    for server in _servers(site, version):
        with suppress(PlatformError):
            reload(server, site.patience)


def _servers(site: Site, version: Version) -> list[Presence]:
    reference = f"{version.model}@{site.channel}"
    return [
        presence
        for presence in announced(site.cache, version.model)
        if presence.reference == reference
        and presence.store == site.catalog.store.url
        and is_there(presence)
    ]


def _compare(answers: Arrays, recorded: RecordedAnswers, build: Build, who: str) -> str:
    try:
        return compare(answers, recorded, build, who)
    except ServeError as error:
        raise RolloutError(str(error)) from error


def _recorded(site: Site, version: Version) -> RecordedAnswers:
    recorded = read_recorded(folder_of(version, site.cache), version)
    if recorded is None:
        raise RolloutError(
            f"{version.model} {version.number} carries no recorded answers to compare with. "
            "Publish it from a job that has `samples`"
        )
    return recorded


ENVIRONMENT = Environment(name="local", prove=prove, confirm=confirm, settle=settle)
