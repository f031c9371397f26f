"""Find versions by what they are, and what they take up."""
