"""TorchScript files: looked through, and run node by node, so that torch can trace them."""
