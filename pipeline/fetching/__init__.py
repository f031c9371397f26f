"""What a job names that lies elsewhere."""
