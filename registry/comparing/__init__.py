"""What differs between two versions."""
