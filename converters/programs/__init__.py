"""Torch programs: traced, kept in files, answered."""
