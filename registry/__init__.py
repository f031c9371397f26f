"""What versions are and where they are kept."""
