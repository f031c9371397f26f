"""Taking a version live, and back."""
