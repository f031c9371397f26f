"""`pipeline registry doctor`: does this store do what versions rest on?"""

from pydantic import JsonValue

from pipeline.commands.store_options import (
    DEFAULT_STORE,
    AsJson,
    Endpoint,
    StoreUrl,
    open_catalog,
)
from pipeline.commands.version_text import plain
from pipeline.showing import console
from registry.checkup.finding import Finding
from registry.errors import StoreError


def doctor(
    *,
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    as_json: AsJson = False,
) -> None:
    """Try out whether a store keeps versions safe, and say what follows where it does not."""
    catalog = open_catalog(store, endpoint)
    found: list[Finding] = []
    for finding in catalog.examine():
        found.append(finding)
        if not as_json:
            _say(finding)
    faults = [finding.check.name for finding in found if finding.is_fault]
    if as_json:
        checks: list[JsonValue] = [_record(finding) for finding in found]
        console.emit({"store": catalog.store.url, "safe": not faults, "checks": checks})
    if faults:
        raise StoreError(f"{catalog.store.url} does not keep versions safe: {', '.join(faults)}")
    if not as_json:
        console.say(f"{catalog.store.url} keeps versions safe")


def _say(finding: Finding) -> None:
    states = {True: "yes", False: "no", None: "unknown"}
    state = states[finding.outcome.passed]
    console.say(f"{finding.check.name:<20}  {state:<7}  {plain(finding.outcome.seen)}")
    if finding.outcome.passed is not True:
        console.say(f"{'':<20}  {finding.check.otherwise}")


def _record(finding: Finding) -> JsonValue:
    return {
        "check": finding.check.name,
        "passed": finding.outcome.passed,
        "needed": finding.check.needed,
        "seen": finding.outcome.seen,
        "otherwise": finding.check.otherwise,
    }
