"""Whether a store does what versions rest on, tried out on the store itself."""
