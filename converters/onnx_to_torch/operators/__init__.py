"""What ONNX's operators compute, as pure functions of torch tensors; one idea a file.

The form of a function says what it takes: see `bind`. The first line of its docstring names the
operator and the versions that it follows.
"""
