"""TorchScript files: traced with several sizes, written, and read back."""
