"""Outputs of stages, kept by what they were made from."""
