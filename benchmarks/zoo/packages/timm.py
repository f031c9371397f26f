"""timm: image models, at least one of each of its families, on small images."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from benchmarks.zoo.package import Model, Package
from benchmarks.zoo.settle import settled
from registry.signature import DType, Input

if TYPE_CHECKING:
    import torch

#: Name, height and width, what is not as usual: fewer or narrower layers.
_ROWS: tuple[tuple[str, int, Mapping[str, object]], ...] = (
    ("beit_base_patch16_224", 64, {"img_size": 64, "depth": 2, "embed_dim": 64, "num_heads": 4}),
    ("test_byobnet", 64, {}),
    ("repvgg_a0", 64, {}),
    ("halonet26t", 256, {}),
    ("botnet26t_256", 64, {"img_size": 64}),
    ("cait_xxs24_224", 64, {"img_size": 64, "depth": 2}),
    ("coat_lite_tiny", 64, {"img_size": 64}),
    ("convit_tiny", 64, {"img_size": 64, "depth": 3, "local_up_to_layer": 2}),
    ("convmixer_768_32", 64, {}),
    ("test_convnext", 64, {}),
    ("cpubone_nano", 64, {}),
    ("crossvit_9_240", 240, {}),
    ("cs3darknet_s", 64, {}),
    ("csatv2", 64, {}),
    ("cspnext_tiny", 64, {}),
    ("davit_tiny", 64, {"depths": (1, 1, 1, 1)}),
    ("deit_tiny_patch16_224", 64, {"img_size": 64, "depth": 2}),
    ("deit_tiny_distilled_patch16_224", 64, {"img_size": 64, "depth": 2}),
    ("densenetblur121d", 64, {}),
    ("dla46_c", 64, {}),
    ("dpn48b", 64, {}),
    ("edgenext_xx_small", 64, {}),
    ("efficientformer_l1", 224, {}),
    ("efficientformerv2_s0", 64, {"img_size": 64}),
    ("test_efficientnet", 64, {}),
    ("efficientnet_b0", 64, {}),
    ("efficientvim_m1", 64, {}),
    ("efficientvit_b0", 64, {}),
    ("efficientvit_m0", 224, {}),
    ("eva02_tiny_patch14_224", 56, {"img_size": 56, "depth": 2}),
    ("fasternet_t0", 64, {}),
    ("fastvit_t8", 64, {}),
    ("focalnet_tiny_srf", 64, {}),
    ("gcvit_xxtiny", 64, {"img_size": 64}),
    ("ghostnet_050", 64, {}),
    ("ghostnetv3_050", 64, {}),
    ("hardcorenas_a", 64, {}),
    ("hgnetv2_b0", 64, {}),
    ("hiera_tiny_224", 64, {"img_size": 64, "stages": (1, 1, 1, 1)}),
    ("hieradet_small", 64, {}),
    ("hrnet_w18_small", 64, {}),
    ("iformer_t", 64, {}),
    ("inception_next_atto", 64, {}),
    ("inception_resnet_v2", 128, {}),
    ("inception_v3", 128, {}),
    ("inception_v4", 128, {}),
    ("lcnet_035", 64, {}),
    ("lcnetv2_small", 64, {}),
    ("legacy_seresnet18", 64, {}),
    ("legacy_xception", 64, {}),
    ("levit_128s", 64, {"img_size": 64}),
    ("lowformer_b0", 64, {}),
    ("test_mambaout", 64, {}),
    ("test_maxvit", 64, {"img_size": 64}),
    ("test_coatnet", 64, {"img_size": 64}),
    ("caformer_s18", 64, {}),
    ("poolformer_s12", 64, {}),
    ("gmlp_ti16_224", 64, {"img_size": 64}),
    ("mixer_s16_224", 64, {"img_size": 64}),
    ("resmlp_12_224", 64, {"img_size": 64}),
    ("mobilenetv3_small_050", 64, {}),
    ("mobilenetv4_conv_small_050", 64, {}),
    ("mobileone_s0", 64, {}),
    ("mobilevit_xxs", 64, {}),
    ("mobilevitv2_050", 64, {}),
    ("mvitv2_tiny", 64, {"img_size": 64}),
    ("naflexvit_base_patch16_gap", 64, {"depth": 2, "embed_dim": 64, "num_heads": 4}),
    ("nasnetalarge", 96, {}),
    ("nest_tiny", 64, {"img_size": 64}),
    ("nextvit_small", 64, {}),
    ("test_nfnet", 64, {}),
    ("nf_regnet_b0", 64, {}),
    ("pit_ti_224", 64, {"img_size": 64}),
    ("pnasnet5large", 96, {}),
    ("pvt_v2_b0", 64, {}),
    ("qwen3_vit_88m", 64, {"img_size": 64, "depth": 2}),
    ("gemma4_vit_167m", 64, {"depth": 2}),
    ("deepseek_vit_412m", 56, {"depth": 2, "img_size": 56}),
    ("rdnet_tiny", 64, {}),
    ("regnetx_002", 64, {}),
    ("regnety_002", 64, {}),
    ("regnetz_005", 64, {}),
    ("repghostnet_050", 64, {}),
    ("repvit_m0_9", 64, {}),
    ("res2net50_14w_8s", 64, {}),
    ("resnest14d", 64, {}),
    ("test_resnet", 64, {}),
    ("seresnet18", 64, {}),
    ("resnetv2_18", 64, {}),
    ("rexnet_100", 64, {}),
    (
        "samvit_base_patch16",
        64,
        {"img_size": 64, "depth": 2, "embed_dim": 64, "num_heads": 4, "global_attn_indexes": (1,)},
    ),
    ("selecsls42", 64, {}),
    ("sequencer2d_s", 64, {"img_size": 64, "layers": (1, 1, 1, 1)}),
    ("shvit_s1", 64, {}),
    ("skresnet18", 64, {}),
    ("starnet_s050", 64, {}),
    ("swiftformer_xs", 64, {}),
    (
        "swin_tiny_patch4_window7_224",
        56,
        {"img_size": 56, "depths": (1, 1, 1), "num_heads": (3, 6, 12)},
    ),
    ("swinv2_tiny_window8_256", 64, {"img_size": 64, "depths": (1, 1), "num_heads": (3, 6)}),
    ("swinv2_cr_tiny_224", 64, {"img_size": 64, "depths": (1, 1), "num_heads": (3, 6)}),
    ("tiny_vit_5m_224", 64, {}),
    ("tnt_s_patch16_224", 64, {"img_size": 64, "depth": 2}),
    ("tresnet_m", 64, {}),
    ("twins_pcpvt_small", 64, {"img_size": 64, "depths": (1, 1, 1, 1)}),
    ("twins_svt_small", 64, {"img_size": 64, "depths": (1, 1, 1, 1)}),
    ("vgg11", 64, {}),
    ("visformer_tiny", 64, {"img_size": 64}),
    ("test_vit", 64, {"img_size": 64}),
    ("vit_tiny_r_s16_p8_224", 64, {"img_size": 64, "depth": 2}),
    ("test_vit_relpos", 64, {"img_size": 64}),
    ("vitamin_small_224", 64, {"img_size": 64}),
    ("volo_d1_224", 64, {"img_size": 64}),
    ("vovnet39a", 64, {}),
    ("ese_vovnet19b_dw", 64, {}),
    ("xception41", 64, {}),
    ("xcit_nano_12_p16_224", 64, {"img_size": 64, "depth": 2}),
)


def _build(name: str, options: Mapping[str, object]) -> "Callable[[], torch.nn.Module]":
    def build() -> "torch.nn.Module":
        from benchmarks.zoo import vision

        vision.declare()  # timm imports torchvision
        import timm

        return timm.create_model(name, num_classes=10, **options)

    return build


#: Known failures.
_BLAME = {
    "halonet26t": "not isolated: on a machine that was busy with other work",
}


def _model(row: tuple[str, int, Mapping[str, object]]) -> Model:
    name, size, options = row
    shape = ("batch", 3, size, size)
    inputs = (Input(name="image", dtype=DType.FLOAT32, shape=shape, range=(-1, 1)),)
    return Model(
        name,
        _build(name, options),
        inputs,
        draw=settled(inputs),
        atol=5e-4,  # after tens of layers
        blame=_BLAME.get(name, ""),
    )


PACKAGE = Package(
    name="timm",
    models=tuple(map(_model, _ROWS)),
    imports=(),
    left_out={"mobilenetv5": "300 million weights at least, minutes each"},
)
