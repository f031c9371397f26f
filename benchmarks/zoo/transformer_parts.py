"""Models of transformers, and parts of them, as modules that take and give plain tensors."""

from collections.abc import Mapping

import torch


class Part(torch.nn.Module):
    """A model that is asked by name, and answers the tensors of the names in `outputs`."""

    def __init__(self, model: torch.nn.Module, outputs: tuple[str, ...]) -> None:
        super().__init__()
        self.model, self.outputs = model, outputs
        self.fixed = {"return_dict": True}
        if hasattr(model.config, "use_cache"):
            model.config.use_cache = False

    def answer(self, **given: object) -> tuple[torch.Tensor, ...]:
        made = self.model(**given, **self.fixed)
        return tuple(getattr(made, name) for name in self.outputs)


class Text(Part):
    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        return self.answer(input_ids=input_ids, attention_mask=attention_mask)


class Tokens(Part):
    """Text without padding."""

    def forward(self, input_ids: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return self.answer(input_ids=input_ids)


class Step(Part):
    """One token more: keys and values of two layers come in, and go out longer by one."""

    def forward(
        self,
        input_ids: torch.Tensor,
        key_0: torch.Tensor,
        value_0: torch.Tensor,
        key_1: torch.Tensor,
        value_1: torch.Tensor,
    ) -> tuple[torch.Tensor, ...]:
        from transformers import DynamicCache

        cache = DynamicCache()
        cache.update(key_0, value_0, 0)
        cache.update(key_1, value_1, 1)
        made = self.model(input_ids=input_ids, past_key_values=cache, use_cache=True)
        layers = made.past_key_values.layers
        return (made.logits, *(kept for one in layers for kept in (one.keys, one.values)))


class Pair(Part):
    """An encoder and its decoder, in one."""

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        decoder_input_ids: torch.Tensor,
    ) -> tuple[torch.Tensor, ...]:
        return self.answer(
            input_ids=input_ids,
            attention_mask=attention_mask,
            decoder_input_ids=decoder_input_ids,
        )


class EncoderOf(Text):
    """The encoder of a pair."""

    def __init__(self, model: torch.nn.Module, outputs: tuple[str, ...]) -> None:
        super().__init__(model.get_encoder(), outputs)


class DecoderOf(Part):
    """The decoder of a pair, on what its encoder answered."""

    def forward(
        self,
        decoder_input_ids: torch.Tensor,
        encoder_hidden_states: torch.Tensor,
        attention_mask: torch.Tensor,
    ) -> tuple[torch.Tensor, ...]:
        from transformers.modeling_outputs import BaseModelOutput

        return self.answer(
            encoder_outputs=BaseModelOutput(last_hidden_state=encoder_hidden_states),
            attention_mask=attention_mask,
            decoder_input_ids=decoder_input_ids,
        )


class Image(Part):
    def forward(self, pixel_values: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return self.answer(pixel_values=pixel_values)


class Towers(Part):
    """Texts and images, each with each."""

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        pixel_values: torch.Tensor,
    ) -> tuple[torch.Tensor, ...]:
        return self.answer(
            input_ids=input_ids, attention_mask=attention_mask, pixel_values=pixel_values
        )


class Sound(Part):
    def forward(self, input_values: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return self.answer(input_values=input_values)


class Spectrum(Part):
    def forward(self, input_features: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return self.answer(input_features=input_features)


class Listener(Part):
    """Speech to text: a spectrum and the text so far."""

    def forward(
        self, input_features: torch.Tensor, decoder_input_ids: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        return self.answer(input_features=input_features, decoder_input_ids=decoder_input_ids)


class Series(Part):
    def forward(self, past_values: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return self.answer(past_values=past_values)


def build(
    kind: str, head: str, part: str, outputs: tuple[str, ...], settings: Mapping[str, object]
) -> torch.nn.Module:
    """Build a model from a configuration, untrained.

    Args:
        kind: Of the configuration: 'bert'.
        head: A class of transformers, or the end of one of its Auto classes: 'ForCausalLM'.
    """
    import transformers

    transformers.logging.set_verbosity_error()
    config = transformers.AutoConfig.for_model(kind, **settings)
    auto = getattr(transformers, f"AutoModel{head}", None)
    model = auto.from_config(config) if auto else getattr(transformers, head)(config)
    return globals()[part](model.eval(), outputs)
