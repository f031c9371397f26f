"""What OpenVINO lacks or gets wrong, put into what it computes rightly: on the ONNX graph."""

from converters.onnx_legal.file import legal_file
from converters.onnx_legal.legalise import legalise
from converters.onnx_legal.rewrite import Rewrite, is_needed
from converters.onnx_legal.table import REWRITES

__all__ = ["REWRITES", "Rewrite", "is_needed", "legal_file", "legalise"]
