"""The dense part cut into named parts, at nodes that the job names."""
