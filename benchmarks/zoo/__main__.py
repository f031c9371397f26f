"""Push public packages through the product, and write a table of each.

    python -m benchmarks.zoo [PACKAGE ...] [--only MODEL ...] [--jobs 2] [--take same]

Needs the toolchain `ipex`. Outcomes, logs and what failed are kept in PIPELINE_HOME/zoo; what
was done is not done again while neither our code nor the pins changed. A table is written where
all models of a package were asked for.
"""

import argparse
import os
import sys
from pathlib import Path

from benchmarks.zoo.environment import python_of
from benchmarks.zoo.packages import PACKAGES, find_package
from benchmarks.zoo.run import Wish, kept, run
from benchmarks.zoo.table import table, write_table


def main() -> int:
    """Run what was asked for, and return 0 where everything was run, whether it holds or not."""
    asked = _arguments()
    packages = [find_package(name) for name in asked.packages] or [
        package for package in PACKAGES if package.in_tests or not asked.set_up
    ]
    home = Path(os.environ.get("PIPELINE_HOME", ".pipeline")).resolve() / "zoo"
    wish = Wish(home=home, jobs=asked.jobs, take=asked.take)
    for package in packages:
        python_of(package)
        if asked.set_up:
            continue
        if asked.tell:
            print(write_table(package, kept(package, wish)))
            continue
        models = [
            one for one in package.models if asked.only in ([], None) or one.name in asked.only
        ]
        outcomes = run(package, models, wish)
        if asked.only:
            print(table(package, outcomes))
        else:
            print(write_table(package, outcomes))
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help="all of them if not given")
    parser.add_argument("--only", nargs="+", metavar="MODEL", help="models; no table is written")
    parser.add_argument("--jobs", type=int, default=2, help="models at a time")
    parser.add_argument(
        "--take",
        choices=("none", "same", "held", "all"),
        default="same",
        help="which earlier outcomes to take: of the same code, that hold, or all",
    )
    parser.add_argument(
        "--tell", action="store_true", help="run nothing, and write the table of what was run"
    )
    parser.add_argument(
        "--set-up",
        action="store_true",
        help="build the environments, and run nothing: if no package is given those of the tests",
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
