"""TensorFlow models: opened as one graph, cut, and written as ONNX."""
