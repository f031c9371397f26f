"""ONNX models: read without their weights, checked, cut."""
