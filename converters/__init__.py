"""A model in, parts and formats out."""
