"""Where models come from: one file a kind."""
