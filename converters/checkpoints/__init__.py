"""Weights as files hold them: mapped, never run."""
