"""transformers: architectures of text, images, sound and series, from tiny configurations.

Their word tables are cut out; a decoder that computes its scores with the same table keeps a copy.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from benchmarks.zoo import transformer_settings as tiny
from benchmarks.zoo.package import Model, Package
from benchmarks.zoo.settle import settled
from benchmarks.zoo.transformer_settings import WORDS, Settings
from registry.signature import Axis, DType, Ids, Input

if TYPE_CHECKING:
    import torch

#: The kind of a configuration, its settings, the class or the end of an Auto class, the outputs.
Made = tuple[str, Settings, str, tuple[str, ...]]

_AXES = {
    "batch": Axis(max=32),
    "sequence": Axis(min=2, max=64),
    "target": Axis(min=2, max=64),
    "past": Axis(min=1, max=60),
    "images": Axis(max=16),
    "samples": Axis(min=400, max=2000),
    "frames": Axis(min=2, max=64),
}


def _ids(name: str, length: str | int) -> Input:
    shape = ("batch", length)
    return Input(name=name, dtype=DType.INT64, shape=shape, ids=Ids(cardinality=WORDS))


def _floats(name: str, *shape: str | int, most: float = 1) -> Input:
    return Input(name=name, dtype=DType.FLOAT32, shape=shape, range=(-most, most))


_TOKENS = _ids("input_ids", "sequence")
_TARGET = _ids("decoder_input_ids", "target")
_MASK = Input(name="attention_mask", dtype=DType.INT64, shape=("batch", "sequence"), range=(0, 1))
#: Least lengths of texts, where a model takes neighbours of each token together.
_LEAST = {"mobilebert": 3}
#: Of which number all sizes of an axis are multiples: what the strides of convolutions come to,
#: and blocks of words.
_STEPS = {"wav2vec2-conformer": ("samples", 20), "longt5": ("sequence", 5)}

_ASKS = (
    "upstream: modeling_longformer and modeling_led ask `is_index_global_attn.any().item()`, "
    "and so pick what to compute by a value"
)

_BLOCKS = (
    "upstream: modeling_longt5._split_into_blocks pads where the length is no multiple of the "
    "block, a branch on a size; torch then fails as it words that the axis cannot be free"
)

#: Whose known failures are.
_BLAME = {
    "longformer": _ASKS,
    "led": _ASKS,
    "longt5": _BLOCKS,
    "mamba": "upstream: modeling_mamba takes the words one by one in a loop of Python",
    "nystromformer": "upstream: modeling_nystromformer adds the mask of all words to the scores of "
    "its landmarks; untraced it fails alike as soon as a word is masked",
}

_HIDDEN = ("last_hidden_state",)
_LOGITS = ("logits",)


def _model(name: str, part: str, inputs: tuple[Input, ...], made: Made) -> Model:
    kind, settings, head, outputs = made

    def build() -> "torch.nn.Module":
        from benchmarks.zoo import transformer_parts

        return transformer_parts.build(kind, head, part, outputs, settings)

    names = {dim for one in inputs for dim in one.shape if isinstance(dim, str)}
    axes = {axis: limits for axis, limits in _AXES.items() if axis in names}
    if name in _LEAST:
        axes["sequence"] = Axis(min=_LEAST[name], max=axes["sequence"].max)
    if name in _STEPS:
        axis, times = _STEPS[name]
        least, most = max(axes[axis].min // times, 1), axes[axis].max // times
        axes[axis] = Axis(min=least * times, max=most * times, multiple_of=times)
    return Model(
        name,
        build,
        inputs,
        axes=axes,
        draw=settled(inputs, {"samples": 800, "frames": 20}),
        split={"min_rows": 1000},
        atol=2e-4,
        blame=_BLAME.get(name, ""),
    )


def _texts() -> Iterator[Model]:
    for kind, settings in tiny.ENCODERS.items():
        yield _model(kind, "Text", (_TOKENS, _MASK), (kind, settings, "", _HIDDEN))
    lengths = (_ids("input_ids", 16),)  # its segments are of one length
    landmarks = {**tiny.TINY, "num_landmarks": 8, "segment_means_seq_len": 16}
    yield _model("nystromformer", "Tokens", lengths, ("nystromformer", landmarks, "", _HIDDEN))
    yield _model("fnet", "Tokens", (_TOKENS,), ("fnet", tiny.TINY, "", _HIDDEN))
    for kind, settings in tiny.DECODERS.items():
        yield _model(kind, "Text", (_TOKENS, _MASK), (kind, settings, "ForCausalLM", _LOGITS))
    for kind, settings in tiny.RECURRENT.items():
        yield _model(kind, "Tokens", (_TOKENS,), (kind, settings, "ForCausalLM", _LOGITS))
    for kind, heads in tiny.STEPS.items():
        kept = tuple(
            _floats(f"{what}_{layer}", "batch", heads, "past", 8)
            for layer in (0, 1)
            for what in ("key", "value")
        )
        made = (kind, tiny.DECODERS[kind], "ForCausalLM", ())
        yield _model(f"{kind} with cache", "Step", (_ids("input_ids", 1), *kept), made)


def _pairs() -> Iterator[Model]:
    for kind, settings in tiny.PAIRS.items():
        made = (kind, settings, "ForSeq2SeqLM", _LOGITS)
        yield _model(kind, "Pair", (_TOKENS, _MASK, _TARGET), made)
    states = _floats("encoder_hidden_states", "batch", "sequence", 32)
    for kind in ("bart", "marian", "t5"):
        whole = (kind, tiny.PAIRS[kind], "ForSeq2SeqLM")
        yield _model(f"{kind} encoder", "EncoderOf", (_TOKENS, _MASK), (*whole, _HIDDEN))
        yield _model(f"{kind} decoder", "DecoderOf", (_TARGET, states, _MASK), (*whole, _LOGITS))


def _images() -> Iterator[Model]:
    for kind, (size, settings) in tiny.IMAGES.items():
        image = (_floats("pixel_values", "batch", 3, size, size),)
        made = (kind, settings, "ForImageClassification", _LOGITS)
        yield _model(f"{kind} image", "Image", image, made)
    pixels = _floats("pixel_values", "batch", 3, 32, 32)
    more: tuple[Made, ...] = (
        ("dinov3_vit", tiny.PATCHES, "", _HIDDEN),
        ("deit", tiny.PATCHES, "DeiTForImageClassification", _LOGITS),
        ("segformer", tiny.IMAGES["segformer"][1], "ForSemanticSegmentation", _LOGITS),
        ("yolos", tiny.YOLOS, "ForObjectDetection", ("logits", "pred_boxes")),
    )
    for made in more:
        yield _model(f"{made[0]} {made[2]}".strip(), "Image", (pixels,), made)
    for kind in ("timesformer", "videomae"):
        frames = (_floats("pixel_values", "batch", 4, 3, 32, 32),)
        made = (kind, tiny.VIDEOS, "ForVideoClassification", _LOGITS)
        yield _model(kind, "Image", frames, made)
    towers = (_TOKENS, _MASK, _floats("pixel_values", "images", 3, 32, 32))
    answers = ("logits_per_text", "text_embeds", "image_embeds")
    for kind, settings in (("clip", tiny.CLIP), ("siglip", tiny.SIGLIP)):
        yield _model(kind, "Towers", towers, (kind, settings, "", answers))


def _sounds() -> Iterator[Model]:
    # Of a wave that is constant, their first norm over time divides nothing but rounding by the
    # root of its epsilon: the louder the wave, the more.
    wave = (_floats("input_values", "batch", "samples", most=0.1),)
    for kind, settings in tiny.SOUNDS.items():
        yield _model(kind, "Sound", wave, (kind, settings, "ForCTC", _LOGITS))
    mels = _floats("input_features", "batch", 16, 64)
    whisper = ("whisper", tiny.MELS, "ForSpeechSeq2Seq", _LOGITS)
    yield _model("whisper", "Listener", (mels, _TARGET), whisper)
    frames = (_floats("input_values", "batch", 32, 16),)
    name = "audio-spectrogram-transformer"
    yield _model(name, "Sound", frames, (name, tiny.SPECTROGRAM, "ForAudioClassification", _LOGITS))
    past = (_floats("past_values", "batch", 32, 3),)
    for name in ("PatchTST", "PatchTSMixer"):
        made = (name.lower(), tiny.FORECAST, f"{name}ForPrediction", ("prediction_outputs",))
        yield _model(name.lower(), "Series", past, made)


PACKAGE = Package(
    name="transformers",
    models=(*_texts(), *_pairs(), *_images(), *_sounds()),
    imports=("transformers",),
    left_out={
        "reformer, big_bird's sparse attention, dinat": "hash, draw or need CUDA as they answer"
    },
    in_tests=("bert",),
)
