"""Take a version live: prove it, move the channel, confirm it, or move the channel back."""

from collections.abc import Callable
from dataclasses import dataclass

from registry import channel
from registry.errors import PlatformError, RolloutError
from registry.manifest import Move, Version
from targets.rollout.environment import Environment, Site, Step

Say = Callable[[Step], None]


@dataclass(frozen=True)
class Reason:
    """What the channel's history says of a move."""

    who: str
    why: str


def roll_out(
    environment: Environment, site: Site, version: Version, reason: Reason, say: Say
) -> Move:
    """Send a channel to a version, and the environment with it.

    Raises:
        ContractError, IntegrityError, RolloutError, StoreError: The channel points to
            where it pointed before.
    """
    before = site.catalog.channel(version.model, site.channel)
    for step in environment.prove(site, version):
        say(step)
    _check_unmoved(site, version, before)
    move = _move(environment, site, version, before, reason)
    already = "already " if move == before else ""
    say(Step("move", f"{site.channel} {already}points to {version.number}, move {move.number}"))
    try:
        for step in environment.confirm(site, version):
            say(step)
    except PlatformError as error:
        back = _back_out(environment, site, version, before, reason)
        raise RolloutError(f"{error}. {back}") from error
    except BaseException:  # Ctrl-C too: what nobody saw confirmed does not stay
        _back_out(environment, site, version, before, reason)
        raise
    return move


def _move(
    environment: Environment, site: Site, version: Version, before: Move | None, reason: Reason
) -> Move:
    """Point the channel at the version, and leave one that points there already as it is."""
    if before is not None and before.version == version.number:
        return before
    said = channel.Reason(reason.who, reason.why, environment.name)
    return site.catalog.point(version.model, site.channel, version.number, said)


def _check_unmoved(site: Site, version: Version, before: Move | None) -> None:
    now = site.catalog.channel(version.model, site.channel)
    if now != before and now is not None:
        raise RolloutError(
            f"{now.who} moved {site.channel} to version {now.version} meanwhile: {now.why}. "
            "Look at that first, then run this again"
        )


def _back_out(
    environment: Environment, site: Site, version: Version, before: Move | None, reason: Reason
) -> str:
    """Undo the move, and say so in a sentence."""
    if before is None:
        return f"{site.channel} had pointed nowhere before and stays at {version.number}"
    if before.version == version.number:
        return f"{site.channel} points to {version.number}, as before"
    why = f"the rollout of version {version.number} failed"
    said = channel.Reason(reason.who, why, environment.name)
    site.catalog.point(version.model, site.channel, before.version, said)
    environment.settle(site, version)
    return f"{site.channel} points to version {before.version} again"
