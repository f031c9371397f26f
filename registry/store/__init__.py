"""Where bytes are kept: one file a kind of store."""
