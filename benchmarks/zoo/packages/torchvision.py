"""torchvision: a model of each of its families, on small images."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from benchmarks.zoo.package import Model, Package
from benchmarks.zoo.settle import settled
from registry.signature import DType, Input

if TYPE_CHECKING:
    import torch

_SMALL = {"weights": None, "num_classes": 10}
_BARE = {**_SMALL, "weights_backbone": None}
_NO_AUXILIARY = {"aux_logits": False, "init_weights": False}

#: Name, the part of it that answers, height and width, what is not as usual.
_ROWS: tuple[tuple[str, str, int, Mapping[str, object]], ...] = (
    ("alexnet", "", 64, {}),
    ("convnext_tiny", "", 64, {}),
    ("densenet121", "", 64, {}),
    ("efficientnet_b0", "", 64, {}),
    ("efficientnet_v2_s", "", 64, {}),
    ("googlenet", "", 64, _NO_AUXILIARY),
    ("inception_v3", "", 128, _NO_AUXILIARY),
    ("MaxVit", "own", 64, {}),
    ("mnasnet0_5", "", 64, {}),
    ("mobilenet_v2", "", 64, {}),
    ("mobilenet_v3_small", "", 64, {}),
    ("regnet_x_400mf", "", 64, {}),
    ("regnet_y_400mf", "", 64, {}),
    ("resnet18", "", 64, {}),
    ("resnext50_32x4d", "", 64, {}),
    ("shufflenet_v2_x0_5", "", 64, {}),
    ("squeezenet1_1", "", 64, {}),
    ("swin_t", "", 64, {}),
    ("swin_v2_t", "", 64, {}),
    ("vgg11_bn", "", 64, {}),
    ("vit_b_16", "", 64, {"image_size": 64}),
    ("wide_resnet50_2", "", 64, {}),
    ("mc3_18", "video", 32, {}),
    ("MViT", "own video", 32, {}),
    ("r2plus1d_18", "video", 32, {}),
    ("r3d_18", "video", 32, {}),
    ("swin3d_t", "video", 32, {}),
    ("deeplabv3_mobilenet_v3_large", "Segments", 64, {}),
    ("fcn_resnet50", "Segments", 64, {}),
    ("lraspp_mobilenet_v3_large", "Segments", 64, {}),
    ("fasterrcnn_mobilenet_v3_large_320_fpn", "Proposes", 64, {}),
    ("fcos_resnet50_fpn", "Detects", 64, {}),
    ("retinanet_resnet50_fpn", "Detects", 64, {}),
    ("ssdlite320_mobilenet_v3_large", "Detects", 96, {}),
    ("raft_small", "Flows", 128, {}),
)

#: Frames of a video.
_FRAMES = 8


def _build(name: str, part: str, options: Mapping[str, object]) -> "Callable[[], torch.nn.Module]":
    def build() -> "torch.nn.Module":
        from benchmarks.zoo import vision

        vision.declare()
        from torchvision import models

        if part == "Flows":
            return vision.Flows(models.get_model(name, weights=None))
        if part.startswith("own"):
            return getattr(vision, f"small_{name.lower()}")()
        if part in ("", "video"):
            return models.get_model(name, **_SMALL, **options)
        return getattr(vision, part)(models.get_model(name, **_BARE, **options))

    return build


def _inputs(part: str, size: int) -> tuple[Input, ...]:
    shape = ("batch", 3, *((_FRAMES,) if "video" in part else ()), size, size)
    names = ("one", "two") if part == "Flows" else ("image",)
    return tuple(Input(name=one, dtype=DType.FLOAT32, shape=shape, range=(-1, 1)) for one in names)


#: Known failures.
_BLAME = {
    "efficientnet_v2_s": "ours: IPEX added into what a convolution still read; mended since",
    "swin_v2_t": "not isolated; OpenVINO and ONNX Runtime answer as they should",
}


def _model(row: tuple[str, str, int, Mapping[str, object]]) -> Model:
    name, part, size, options = row
    inputs = _inputs(part, size)
    return Model(
        name,
        _build(name, part, options),
        inputs,
        draw=settled(inputs),
        atol=5e-4,  # after tens of convolutions
        blame=_BLAME.get(name, ""),
    )


PACKAGE = Package(
    name="torchvision",
    models=tuple(map(_model, _ROWS)),
    imports=(),
    left_out={
        "choice of boxes (nms, roi_align)": "how many there are depends on values; what detectors "
        "compute before it is converted",
        "s3d, ssd300_vgg16": "take 224 pixels and 300 pixels a side at least, minutes each; their "
        "layers are those of models above",
        "quantization": "INT8 modules of torch's own; the product quantises for its targets",
    },
)
