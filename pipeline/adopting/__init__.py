"""Models that were converted elsewhere become versions."""
