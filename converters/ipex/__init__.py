"""What Intel Extension for PyTorch makes of a module: laid out, in bf16, in int8."""
