"""The packages of the zoo: one file each, one row here."""

from benchmarks.zoo.package import Package
from benchmarks.zoo.packages import (
    deepctr_torch,
    pytorch_widedeep,
    timm,
    torch_rechub,
    torchrec,
    torchvision,
    transformers,
)

PACKAGES: tuple[Package, ...] = (
    deepctr_torch.PACKAGE,
    pytorch_widedeep.PACKAGE,
    torch_rechub.PACKAGE,
    torchrec.PACKAGE,
    torchvision.PACKAGE,
    timm.PACKAGE,
    transformers.PACKAGE,
)


def find_package(name: str) -> Package:
    """Return the package of a name.

    Raises:
        SystemExit: There is none.
    """
    for package in PACKAGES:
        if package.name == name:
            return package
    known = ", ".join(package.name for package in PACKAGES)
    raise SystemExit(f"there is no package '{name}'; there are {known}")
