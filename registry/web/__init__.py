"""Web pages over a registry, and the same as JSON."""
