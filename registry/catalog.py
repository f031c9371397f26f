"""The versions and channels in a store."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from types import MappingProxyType

from registry import publish as publishing
from registry import pull as pulling
from registry.checkup.doctor import examine
from registry.checkup.finding import Finding
from registry.cleaning.retention import Rule, let_go
from registry.cleaning.sweep import Sweeper
from registry.comparing.compare import compare
from registry.comparing.difference import Difference
from registry.exchange.copy import copy_version
from registry.exchange.export import Wish, export
from registry.listing.kept import Kept
from registry.listing.overview import Overview, Tell, all_versions, fail, overview, quick_overview
from registry.manifest import Draft, File, Version
from registry.names import Names
from registry.patching.deliver import deliver
from registry.patching.made import NOTHING_NEAR, Near
from registry.progress import Progress, silent
from registry.reference import check_name
from registry.searching.condition import parse_condition
from registry.searching.usage import Usages, measure
from registry.signing.signer import Signs
from registry.signing.trust import Believer
from registry.store.store import Store

#: Of a folder that nobody has digested before.
NOTHING_EXPECTED: Mapping[str, File] = MappingProxyType({})

NO_VERSIONS: Mapping[Path, Version] = MappingProxyType({})


class Catalog(Names):
    """What is published in a store. Holds no state: another process may publish at any time.

    Methods raise `StoreError` where the store fails or does not hold what was asked for, and
    `IntegrityError` where what it holds is not what was published.

    Args:
        cache: File of what this host has read of stores; None keeps nothing.
    """

    def __init__(
        self,
        store: Store,
        trust: Believer | None = None,
        cache: Path | None = None,
        signer: Signs | None = None,
    ) -> None:
        super().__init__(store, trust, signer)
        self._kept = Kept(cache)

    def publish(
        self,
        draft: Draft,
        folder: Path,
        progress: Progress = silent,
        *,
        expected: Mapping[str, File] = NOTHING_EXPECTED,
        near: Near = NOTHING_NEAR,
    ) -> Version:
        """Make a version of a draft, whose files lie in a folder, and return it.

        Where the newest version answers from the same bytes and is held against the same, that
        one is returned; those of its blobs that the store has lost are brought back.

        Args:
            expected: Files as whoever made the folder knows them.
            near: Files on this host by digest, of versions before: rows that changed are looked
                for in older shards there, in place of fetching these. One that was changed since
                is not believed.

        Raises:
            IntegrityError: The folder lacks files, has links out of it, changes meanwhile, or
                holds a file that is not as expected.
        """
        check_name("model", draft.model)
        ready, paths = publishing.prepare(draft, folder, progress)
        publishing.check_expected(ready.files, expected, folder)

        return deliver(self.store, ready, paths, progress, near)

    def copy(self, version: Version, other: "Catalog", progress: Progress = silent) -> Version:
        """Make a version of another catalog's one of this; blobs that are there stay there.

        Raises:
            IntegrityError: A blob of the other is not what was published.
        """
        return copy_version(other.store, self.store, version, progress)

    def pull(
        self,
        version: Version,
        folder: Path,
        progress: Progress = silent,
        *,
        near: Mapping[Path, Version] = NO_VERSIONS,
    ) -> Path:
        """Bring a version's files into a folder, each verified; goes on where one broke off.

        Args:
            near: Versions that this host has, by folder: what they share is linked, not fetched.
        """
        files = {
            file.digest: other / name
            for other, held in near.items()
            for name, file in held.files.items()
        }
        return pulling.pull(self.store, version, folder, progress, files)

    def export(self, version: Version, out: Path, wish: Wish, progress: Progress = silent) -> Path:
        """Lay a build out for a tool, and return the file to start that with."""
        return export(self.store, version, out, wish, progress)

    def verify(self, version: Version, progress: Progress = silent) -> None:
        """Read every blob of a version and compare its digest."""
        pulling.verify(self.store, version, progress)

    def every(self, model: str | None = None, tell: Tell = fail) -> Iterator[Version]:
        """Read all versions, of one model or of all, in order, by whomever they are signed.

        Args:
            tell: Told of each version that cannot be believed; it is passed over.

        Raises:
            IntegrityError: One cannot be believed, and nobody else was to be told.
        """
        if model is not None:
            check_name("model", model)
        return all_versions(self.store, self._kept, model, tell)

    def every_trusted(self, model: str, tell: Tell) -> Iterator[Version]:
        """Read all versions of a model as `version` does, those that were kept on this host too.

        Args:
            tell: As for `every`; those are told of too that nobody trusted has signed.
        """
        check_name("model", model)
        return all_versions(self.store, self._kept, model, tell, self.believed)

    def overview(self, *, anew: bool = False) -> Overview:
        """Return all models with their versions and channels.

        Args:
            anew: List the whole store: without it a store of thousands of versions is believed to
                be as its index, which is not older than a day, and its notes of changes say.
        """
        return overview(self.store, self._kept, anew=anew)

    def quick_overview(self) -> Overview | None:
        """Return the same if the store has an index, so that it takes little time."""
        return quick_overview(self.store, self._kept)

    def search(
        self, conditions: Iterable[str], model: str | None = None, tell: Tell = fail
    ) -> Iterator[Version]:
        """Find the versions that meet all conditions, such as `target=openvino*`.

        Args:
            tell: As for `every`.
        """
        wanted = tuple(map(parse_condition, conditions))
        found = self.every(model, tell)
        return (version for version in found if all(one.holds(version) for one in wanted))

    def usage(self) -> Usages:
        """Return what versions and models take up, of their own and shared."""
        return measure(self.every())

    def diff(self, one: Version, other: Version) -> Difference:
        """Say what two versions differ in; reads no more of their files than differs."""
        return compare(self.store, one, other)

    def let_go(self, model: str, rule: Rule) -> tuple[int, ...]:
        """Return the numbers of the versions that a rule of retention would remove."""
        check_name("model", model)
        return let_go(self.store, model, rule)

    def sweeper(self, grace: timedelta) -> Sweeper:
        """Return what finds and removes blobs that nothing needs.

        Args:
            grace: How long a removed version, and a blob of a push that failed, are kept.
        """
        return Sweeper(self.store, grace)

    def examine(self) -> Iterator[Finding]:
        """Try out, check by check, whether the store does what versions rest on."""
        return examine(self.store)
