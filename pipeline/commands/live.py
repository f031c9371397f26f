"""What `rollout` and `rollback` share: find the environment, take the steps, print them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pipeline.commands.store_options import open_catalog
from pipeline.home import open_home
from pipeline.showing import console
from pipeline.toolchains.enter import enter
from pipeline.who import who
from registry.catalog import Catalog
from registry.errors import RolloutError
from registry.manifest import Version
from targets.rollout import ENVIRONMENTS
from targets.rollout.environment import Environment, Site, Step
from targets.rollout.rollout import Reason, roll_out


@dataclass(frozen=True)
class Where:
    """The options that say where a version goes live."""

    environment: str
    store: str
    endpoint: str | None
    channel: str
    target: str | None
    home: Path


def take_live(where: Where, find: Callable[[Catalog], Version], why: str, *, as_json: bool) -> None:
    """Send the channel to a version and print each step as it is done."""
    catalog = open_catalog(where.store, where.endpoint)
    environment = _environment(where.environment)
    version = find(catalog)
    enter(version, where.target)
    site = Site(catalog, where.channel, open_home(where.home), where.target)

    def say(step: Step) -> None:
        if as_json:
            console.emit({"step": step.name, "detail": step.detail})
        else:
            console.say(f"{step.name:<9} {step.detail}")

    move = roll_out(environment, site, version, Reason(who(), why), say)
    if as_json:
        console.emit(move.model_dump(mode="json") | {"model": version.model})
    else:
        console.say(f"{version.model}@{move.channel} is version {move.version}")


def _environment(name: str) -> Environment:
    for environment in ENVIRONMENTS:
        if environment.name == name:
            return environment
    known = ", ".join(environment.name for environment in ENVIRONMENTS)
    raise RolloutError(f"there is no environment '{name}'. There is {known}")
