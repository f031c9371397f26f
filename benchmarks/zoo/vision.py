"""Models of torchvision on a torch without CUDA, and the parts of detectors before their boxes."""

import torch

#: Torchvision's own operators, which its wheel has for CUDA alone: none of the models runs one.
_OPERATORS = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
)


def declare() -> None:
    """Declare what `import torchvision` wants to be there, where its library does not load."""
    if not hasattr(torch.ops.torchvision, "nms"):
        library = torch.library.Library("torchvision", "FRAGMENT")
        for schema in _OPERATORS:
            library.define(schema)
        _LIBRARIES.append(library)  # it ends with its object


_LIBRARIES: list[torch.library.Library] = []


class Part(torch.nn.Module):
    """Some of a model's answers, as a tuple."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model


class Segments(Part):
    """The classes of pixels."""

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        return self.model(image)["out"]


class Detects(Part):
    """What a detector says of its anchors; boxes are picked after it, by value."""

    def forward(self, image: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return tuple(self.model.head(list(self.model.backbone(image).values())).values())


class Proposes(Part):
    """What a detector of two stages says of where to look."""

    def forward(self, image: torch.Tensor) -> tuple[torch.Tensor, ...]:
        scores, boxes = self.model.rpn.head(list(self.model.backbone(image).values()))
        return (*scores, *boxes)


class Flows(Part):
    """Where pixels went from one image to the next: the last refinement."""

    def forward(self, one: torch.Tensor, two: torch.Tensor) -> torch.Tensor:
        return self.model(one, two, num_flow_updates=2)[-1]


def small_maxvit() -> torch.nn.Module:
    """Return a MaxVit of two stages for images of 64 x 64."""
    from torchvision.models import MaxVit

    return MaxVit(
        input_size=(64, 64),
        stem_channels=16,
        partition_size=4,
        block_channels=[16, 32],
        block_layers=[1, 1],
        head_dim=8,
        stochastic_depth_prob=0.0,
        num_classes=10,
    )


def small_mvit() -> torch.nn.Module:
    """Return an MViT of three blocks for videos of 8 frames of 32 x 32."""
    from torchvision.models.video.mvit import MSBlockConfig, MViT

    kernel = [3, 3, 3]
    blocks = [
        MSBlockConfig(1, 16, 32, kernel, kernel, [1, 1, 1], [1, 2, 2]),
        MSBlockConfig(2, 32, 32, kernel, kernel, [1, 2, 2], [1, 1, 1]),
        MSBlockConfig(2, 32, 32, kernel, kernel, [1, 1, 1], [1, 1, 1]),
    ]
    return MViT(
        spatial_size=(32, 32),
        temporal_size=8,
        block_setting=blocks,
        residual_pool=True,
        residual_with_cls_embed=False,
        rel_pos_embed=True,
        proj_after_attn=True,
        num_classes=10,
    )
