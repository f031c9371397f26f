"""Some of these tests run inside of a toolchain alone: see `tests.toolchain_suites`."""

from tests.toolchain_suites import HERE

collect_ignore = [] if HERE == "tensorflow" else ["test_tensorflow_model.py"]
