"""Versions of tools."""

import platform

import numpy as np

from pipeline.toolchains.versions import tool_versions


def test_python_and_what_is_installed_is_told():
    versions = tool_versions()
    assert versions["python"] == platform.python_version()
    assert versions["numpy"] == np.__version__
