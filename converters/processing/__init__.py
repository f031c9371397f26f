"""What comes before a model and after it: fitted estimators of scikit-learn, and ONNX files."""
