"""Versions that go from one store to another, or come from and go to what other tools read."""
