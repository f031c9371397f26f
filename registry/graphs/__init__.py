"""The graphs that parts are, read from their files and laid out, without any framework."""
