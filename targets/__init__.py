"""Where parts run: one file a runtime."""
