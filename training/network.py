"""A BERT encoder whose linear maps each have a low-rank update (LoRA, Hu et al. 2021), for one GPU or the processor.

The published weights stay as they are. What is learned is written as `aforesaid` reads it: safetensors in bfloat16, by PEFT's
names, with what it is in the metadata entry `aforesaid`.
"""

import json
import math
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors import safe_open
from safetensors.torch import save
from tokenizers import Tokenizer

MAPS = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
)


class Network(torch.nn.Module):
    """The encoder of a model's folder: config.json, tokenizer.json and model.safetensors."""

    def __init__(self, folder, rank, seed, dropout=0.0):
        super().__init__()
        folder = Path(folder)
        self.config = json.loads((folder / "config.json").read_text())
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.dropout = dropout
        with safe_open(folder / "model.safetensors", framework="pt") as file:
            for name in file.keys():
                if name != "embeddings.position_ids":
                    self.register_buffer(_plain(name), file.get_tensor(name).float())
        draws = torch.Generator().manual_seed(seed)
        self.maps = [
            f"encoder.layer.{layer}.{map}" for layer in range(self.config["num_hidden_layers"]) for map in MAPS
        ]
        for map in self.maps:
            outputs, inputs = self.weight(map).shape
            bound = 1 / math.sqrt(inputs)
            down = (2 * torch.rand(rank, inputs, generator=draws) - 1) * bound
            self.register_parameter(_plain(map + ".down"), torch.nn.Parameter(down))
            self.register_parameter(_plain(map + ".up"), torch.nn.Parameter(torch.zeros(outputs, rank)))

    def weight(self, name):
        return self.get_buffer(_plain(name + ".weight"))

    def update(self, map):
        """The two factors of a map's update: `[rank, inputs]` and `[outputs, rank]`."""
        return self.get_parameter(_plain(map + ".down")), self.get_parameter(_plain(map + ".up"))

    def begin(self, updates):
        """Begins with the updates of a file."""
        for map in self.maps:
            for parameter, value in zip(self.update(map), updates[map], strict=True):
                parameter.data.copy_(value)

    def merged(self):
        """Weights with their updates, and biases, by map. They are computed once for a step."""
        merged = {}
        for map in self.maps:
            down, up = self.update(map)
            merged[map] = self.weight(map) + up @ down, self.get_buffer(_plain(map + ".bias"))
        return merged

    def first(self, merged, ids, segments, mask):
        """The vectors of first tokens, `[texts, hidden]`; `mask` is true where there is a token.

        The last layer computes no other.
        """
        name = "embeddings."
        x = F.embedding(ids, self.weight(name + "word_embeddings"))
        x = x + self.weight(name + "position_embeddings")[: ids.shape[1]]
        x = x + F.embedding(segments, self.weight(name + "token_type_embeddings"))
        x = self._dropped(self._norm(name + "LayerNorm", x))
        texts, _, width = x.shape
        heads = self.config["num_attention_heads"]
        seen = mask[:, None, None, :]
        layers = self.config["num_hidden_layers"]
        for layer in range(layers):
            at = f"encoder.layer.{layer}."
            asks = x[:, :1] if layer == layers - 1 else x

            def linear(map, x):
                return F.linear(x, *merged[at + map])

            def split(x):
                return x.view(texts, -1, heads, width // heads).transpose(1, 2)

            q = split(linear("attention.self.query", asks))
            k, v = (split(linear(f"attention.self.{part}", x)) for part in ("key", "value"))
            if x.device.type == "cpu":
                # Backwards, the fused attention of a processor takes half of a step.
                shares = (q @ k.mT * k.shape[-1] ** -0.5).masked_fill(~seen, float("-inf")).softmax(-1)
                around = self._dropped(shares.to(v.dtype)) @ v
            else:
                around = F.scaled_dot_product_attention(q, k, v, attn_mask=seen, dropout_p=self._rate())
            around = linear("attention.output.dense", around.transpose(1, 2).reshape(texts, -1, width))
            x = self._norm(at + "attention.output.LayerNorm", asks + self._dropped(around))
            inner = linear("output.dense", F.gelu(linear("intermediate.dense", x)))
            x = self._norm(at + "output.LayerNorm", x + self._dropped(inner))
        return x[:, 0]

    def updates(self):
        """Tensors of what was learned, by the names of the file."""
        tensors = {}
        for map in self.maps:
            for half, parameter in zip(("lora_A", "lora_B"), self.update(map), strict=True):
                tensors[f"base_model.model.{map}.{half}.weight"] = parameter.detach()
        return tensors

    def _norm(self, name, x):
        weight, bias = self.weight(name), self.get_buffer(_plain(name + ".bias"))
        return F.layer_norm(x.float(), x.shape[-1:], weight, bias, self.config["layer_norm_eps"])

    def _rate(self):
        return self.dropout if self.training else 0.0

    def _dropped(self, x):
        return F.dropout(x, self._rate(), self.training) if self.dropout else x


def encoded(tokenizer, texts, max_tokens):
    """Ids and segments of texts, or of pairs of texts, of which the longer is cut first."""
    tokenizer.enable_truncation(max_tokens)
    return [(encoding.ids, encoding.type_ids) for encoding in tokenizer.encode_batch(texts)]


def read_updates(path):
    """The updates of a file by map, its other tensors, and what it says it is."""
    with safe_open(path, framework="pt") as file:
        about = json.loads(file.metadata()["aforesaid"])
        tensors = {name: file.get_tensor(name).float() for name in file.keys()}
    start, down, up = "base_model.model.", ".lora_A.weight", ".lora_B.weight"
    updates = {}
    for name in [name for name in tensors if name.endswith(down)]:
        map = name.removeprefix(start).removesuffix(down)
        updates[map] = tensors.pop(name), tensors.pop(start + map + up)
    return updates, tensors, about


def write(path, tensors, about):
    """Writes a file as `aforesaid` reads it."""
    tensors = {name: tensor.to("cpu", torch.bfloat16).contiguous() for name, tensor in tensors.items()}
    Path(path).write_bytes(save(tensors, {"aforesaid": json.dumps(about)}))


def rate_at(step, steps, rate):
    """The step width: it rises over a tenth of the steps, 100 at most, and falls to 0 at the last."""
    rising = max(min(steps / 10, 100), 1)
    return rate * (step + 1) / rising if step < rising else rate * (steps - step) / max(steps - rising, 1)


def _plain(name):
    return name.replace(".", "_")
