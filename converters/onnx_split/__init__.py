"""ONNX models, cut at the gathers of big tables."""
