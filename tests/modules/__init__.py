"""Tiny torch modules, one file a family; `tests.models` has the table of them."""
