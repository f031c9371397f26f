"""Who vouches for a version: its commit object, which names all files by digest, is signed."""
