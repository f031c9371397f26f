"""Tiny configurations of transformers' architectures."""

from collections.abc import Mapping

Settings = Mapping[str, object]

#: Rows of the word tables.
WORDS = 1200

TINY: Settings = {
    "vocab_size": WORDS,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 66,
}
_GROUPED: Settings = {**TINY, "num_key_value_heads": 2, "head_dim": 8}
_PAIR: Settings = {
    "vocab_size": WORDS,
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 64,
    "decoder_ffn_dim": 64,
    "max_position_embeddings": 66,
}
_T5: Settings = {
    "vocab_size": WORDS,
    "d_model": 32,
    "d_kv": 8,
    "d_ff": 64,
    "num_layers": 2,
    "num_decoder_layers": 2,
    "num_heads": 4,
}
PATCHES: Settings = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "image_size": 32,
    "patch_size": 8,
    "num_labels": 10,
}
_STAGES: Settings = {"hidden_sizes": [8, 16, 16, 32], "depths": [1, 1, 1, 1], "num_labels": 10}
HEADS: Settings = {**_STAGES, "num_attention_heads": [1, 1, 2, 2]}
_WINDOWS: Settings = {
    "embed_dim": 16,
    "depths": [1, 1],
    "num_heads": [2, 2],
    "window_size": 4,
    "image_size": 32,
    "patch_size": 2,
    "num_labels": 10,
}
_WAVES: Settings = {
    "vocab_size": 40,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "conv_dim": [16, 16, 16],
    "conv_stride": [5, 2, 2],
    "conv_kernel": [10, 3, 2],
    "num_feat_extract_layers": 3,
    "num_conv_pos_embeddings": 16,
    "num_conv_pos_embedding_groups": 4,
}
MELS: Settings = {
    **_PAIR,
    "num_mel_bins": 16,
    "max_source_positions": 32,
    "max_target_positions": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "decoder_start_token_id": 1,
}
FORECAST: Settings = {
    "num_input_channels": 3,
    "context_length": 32,
    "patch_length": 8,
    "patch_stride": 8,
    "prediction_length": 8,
    "d_model": 16,
    "num_hidden_layers": 2,
    "num_layers": 2,
    "num_attention_heads": 4,
    "ffn_dim": 32,
}
_DISENTANGLED: Settings = {
    **TINY,
    "relative_attention": True,
    "pos_att_type": ["c2p", "p2c"],
    "position_buckets": 8,
}
#: Experts by an operator of transformers' own (the default) have no form in ONNX.
_EXPERTS: Settings = {
    **_GROUPED,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 32,
    "experts_implementation": "batched_mm",
}
_TOKENS_0_TO_3: Settings = {
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "mask_token_id": 3,
}

ENCODERS: Mapping[str, Settings] = {
    "albert": {**TINY, "embedding_size": 16},
    "bert": TINY,
    "big_bird": {**TINY, "attention_type": "original_full"},
    "convbert": {**TINY, "embedding_size": 16},
    "deberta": _DISENTANGLED,
    "deberta-v2": {**_DISENTANGLED, "share_att_key": True},
    "distilbert": {**TINY, "dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 64},
    "electra": {**TINY, "embedding_size": 16},
    "ernie": TINY,
    "esm": {
        **TINY,
        "pad_token_id": 1,
        "mask_token_id": 3,
        "position_embedding_type": "rotary",
    },
    "eurobert": {**TINY, **_TOKENS_0_TO_3, "head_dim": 8, "num_key_value_heads": 4},
    "ibert": TINY,
    "layoutlm": TINY,
    "longformer": {**TINY, "attention_window": 8},
    "megatron-bert": TINY,
    "mobilebert": {
        **TINY,
        "embedding_size": 16,
        "true_hidden_size": 32,
        "intra_bottleneck_size": 32,
    },
    "modernbert": {
        **TINY,
        **_TOKENS_0_TO_3,
        "global_attn_every_n_layers": 2,
        "local_attention": 8,
        "cls_token_id": 1,
        "sep_token_id": 2,
    },
    "mpnet": TINY,
    "nomic_bert": TINY,
    "rembert": {**TINY, "input_embedding_size": 16, "output_embedding_size": 16},
    "roberta": TINY,
    "roformer": {**TINY, "embedding_size": 32},
    "squeezebert": {**TINY, "embedding_size": 32},
    "xlm": {**TINY, "emb_dim": 32, "n_layers": 2, "n_heads": 4},
}
DECODERS: Mapping[str, Settings] = {
    "biogpt": TINY,
    "bloom": {**TINY, "n_head": 4, "n_layer": 2},
    "codegen": {**TINY, "rotary_dim": 4, "n_ctx": 64, "n_embd": 32, "n_layer": 2, "n_head": 4},
    "cohere": _GROUPED,
    "ctrl": {**TINY, "dff": 64},
    "deepseek_v3": {
        **_EXPERTS,
        "num_key_value_heads": 4,
        "n_routed_experts": 4,
        "n_group": 1,
        "topk_group": 1,
        "first_k_dense_replace": 1,
        "q_lora_rank": 16,
        "kv_lora_rank": 16,
        "qk_rope_head_dim": 8,
        "qk_nope_head_dim": 8,
        "v_head_dim": 8,
    },
    "falcon": {**TINY, "num_kv_heads": 2, "new_decoder_architecture": True},
    "gemma": _GROUPED,
    "gemma2": {**_GROUPED, "query_pre_attn_scalar": 8, "sliding_window": 8},
    "gemma3_text": {**_GROUPED, "query_pre_attn_scalar": 8, "sliding_window": 8},
    "glm4": {**_GROUPED, "pad_token_id": 0},
    "gpt2": TINY,
    "gpt_bigcode": TINY,
    "gpt_neo": {
        **TINY,
        "attention_types": [[["global", "local"], 1]],
        "num_layers": 2,
        "num_heads": 4,
        "window_size": 8,
    },
    "gpt_neox": TINY,
    "gpt_oss": {
        **_EXPERTS,
        "num_local_experts": 4,
        "sliding_window": 8,
    },
    "gptj": {**TINY, "rotary_dim": 4},
    "granite": _GROUPED,
    "llama": _GROUPED,
    "mistral": {**_GROUPED, "sliding_window": 8},
    "mixtral": {**_EXPERTS, "num_local_experts": 4},
    "mpt": {
        "vocab_size": WORDS,
        "d_model": 32,
        "n_heads": 4,
        "n_layers": 2,
        "max_seq_len": 64,
        "expansion_ratio": 2,
    },
    "olmo2": _GROUPED,
    "opt": {**TINY, "ffn_dim": 64, "word_embed_proj_dim": 32},
    "phi": {**TINY, "num_key_value_heads": 2},
    "phi3": {**TINY, "num_key_value_heads": 2, "pad_token_id": 0},
    "qwen2": _GROUPED,
    "qwen3": _GROUPED,
    "qwen3_moe": {**_EXPERTS, "num_experts": 4},
    "smollm3": {**_GROUPED, "pad_token_id": 0},
    "stablelm": _GROUPED,
    "starcoder2": _GROUPED,
    "xglm": {**TINY, "d_model": 32, "num_layers": 2, "attention_heads": 4, "ffn_dim": 64},
}
RECURRENT: Mapping[str, Settings] = {
    "mamba": {**TINY, "state_size": 4},
    "mamba2": {
        **TINY,
        "num_heads": 8,
        "head_dim": 8,
        "state_size": 8,
        "n_groups": 2,
        "chunk_size": 8,
    },
    "rwkv": {**TINY, "attention_hidden_size": 32, "context_length": 64},
}

#: Decoders whose cache is carried, and the heads that it has.
STEPS = {"bloom": 4, "falcon": 4, "gpt2": 4, "gpt_neox": 4, "llama": 2, "opt": 4, "qwen2": 2}

PAIRS: Mapping[str, Settings] = {
    "bart": _PAIR,
    "blenderbot": _PAIR,
    "led": {
        **_PAIR,
        "max_encoder_position_embeddings": 64,
        "max_decoder_position_embeddings": 64,
        "attention_window": 8,
    },
    "longt5": {**_T5, "local_radius": 4},
    "m2m_100": _PAIR,
    "marian": {**_PAIR, "pad_token_id": 0, "decoder_start_token_id": 0},
    "mbart": _PAIR,
    "pegasus": _PAIR,
    "switch_transformers": {**_T5, "num_experts": 4},
    "t5": _T5,
    "umt5": _T5,
}

#: Height and width, settings.
IMAGES: Mapping[str, tuple[int, Settings]] = {
    "beit": (32, PATCHES),
    "bit": (
        32,
        {
            "embedding_size": 8,
            "hidden_sizes": [8, 16],
            "depths": [1, 1],
            "num_groups": 4,
            "num_labels": 10,
        },
    ),
    "convnext": (32, _STAGES),
    "convnextv2": (32, _STAGES),
    "cvt": (
        32,
        {"embed_dim": [8, 16, 16], "num_heads": [1, 2, 2], "depth": [1, 2, 3], "num_labels": 10},
    ),
    "dinov2": (32, PATCHES),
    "dinov2_with_registers": (32, PATCHES),
    "efficientnet": (
        64,
        {
            "image_size": 64,
            "width_coefficient": 0.25,
            "depth_coefficient": 0.1,
            "hidden_dim": 320,
            "num_labels": 10,
        },
    ),
    "focalnet": (
        32,
        {
            "embed_dim": 16,
            "depths": [1, 1],
            "focal_levels": [1, 1],
            "focal_windows": [3, 3],
            "image_size": 32,
            "num_labels": 10,
        },
    ),
    "ijepa": (32, PATCHES),
    "mobilenet_v1": (64, {"depth_multiplier": 0.25, "num_labels": 10}),
    "mobilenet_v2": (64, {"depth_multiplier": 0.35, "num_labels": 10}),
    "mobilevit": (
        64,
        {
            "image_size": 64,
            "hidden_sizes": [16, 24, 32],
            "neck_hidden_sizes": [8, 8, 16, 16, 24, 32, 64],
            "num_attention_heads": 4,
            "num_labels": 10,
        },
    ),
    "mobilevitv2": (64, {"image_size": 64, "width_multiplier": 0.25, "num_labels": 10}),
    "poolformer": (64, _STAGES),
    "pvt": (32, {**HEADS, "image_size": 32}),
    "pvt_v2": (32, {**HEADS, "image_size": 32}),
    "regnet": (
        32,
        {
            "embedding_size": 8,
            "hidden_sizes": [8, 16],
            "depths": [1, 1],
            "groups_width": 8,
            "num_labels": 10,
        },
    ),
    "resnet": (
        32,
        {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1], "num_labels": 10},
    ),
    "segformer": (32, {**HEADS, "decoder_hidden_size": 16}),
    "swiftformer": (
        64,
        {
            "image_size": 64,
            "depths": [1, 1, 1, 1],
            "embed_dims": [8, 16, 16, 32],
            "num_labels": 10,
        },
    ),
    "swin": (32, _WINDOWS),
    "swinv2": (32, _WINDOWS),
    "vit": (32, PATCHES),
    "vit_msn": (32, PATCHES),
}
SOUNDS: Mapping[str, Settings] = {
    "data2vec-audio": {**_WAVES, "conv_pos_kernel_size": 3, "num_conv_pos_embeddings": 2},
    "hubert": _WAVES,
    "sew": {**_WAVES, "squeeze_factor": 2},
    "unispeech": _WAVES,
    "unispeech-sat": _WAVES,
    "wav2vec2": _WAVES,
    "wav2vec2-conformer": _WAVES,
    "wavlm": {**_WAVES, "num_buckets": 16, "max_bucket_distance": 32},
}

CLIP: Settings = {
    "text_config": {**TINY, "eos_token_id": WORDS - 1, "projection_dim": 16},
    "vision_config": {**PATCHES, "projection_dim": 16},
    "projection_dim": 16,
}
SIGLIP: Settings = {"text_config": {**TINY, "projection_size": 32}, "vision_config": PATCHES}
SPECTROGRAM: Settings = {
    **PATCHES,
    "max_length": 32,
    "num_mel_bins": 16,
    "frequency_stride": 8,
    "time_stride": 8,
}
YOLOS: Settings = {
    **PATCHES,
    "image_size": [32, 32],
    "num_detection_tokens": 4,
    "use_mid_position_embeddings": True,
}
VIDEOS: Settings = {**PATCHES, "num_frames": 4}
