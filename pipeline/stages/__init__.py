"""One file a stage; each runs in its own process."""
