"""Read a job, plan it, run it."""
