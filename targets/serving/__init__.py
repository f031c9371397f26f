"""Answers over the network."""
