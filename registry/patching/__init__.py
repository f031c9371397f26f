"""Shards that are kept as rows laid over shards which are there already, where that is less."""
