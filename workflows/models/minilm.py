"""The sentence encoder all-MiniLM-L6-v2: BERT, the mean over the real tokens, length 1."""

import torch
from torch import nn


class SentenceEncoder(nn.Module):
    """Tokens to one vector a sentence."""

    def __init__(self, settings: dict[str, object]) -> None:
        super().__init__()
        from transformers import BertConfig, BertModel  # noqa: PLC0415 - slow to import

        config = BertConfig(**settings, attn_implementation="eager")
        self.bert = BertModel(config, add_pooling_layer=False)

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """Give unit vectors, [batch, hidden], of tokens [batch, sequence]."""
        tokens = self.bert(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        mask = attention_mask.unsqueeze(-1).to(tokens.dtype)
        mean = (tokens * mask).sum(1) / mask.sum(1).clamp(min=1e-9)
        return nn.functional.normalize(mean, dim=1)


def build(**settings: object) -> nn.Module:
    """Make the encoder of a BERT configuration, untrained."""
    return SentenceEncoder(settings)
