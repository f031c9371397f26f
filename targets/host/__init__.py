"""What this machine is and what it can run."""
