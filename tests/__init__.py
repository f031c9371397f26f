"""Tests; a package, because packages that are installed bring a `tests` of their own."""
