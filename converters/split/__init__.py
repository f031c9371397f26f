"""Cut the lookups out of a program."""
