"""Makes a tiny random BERT and the vectors it gives, to test the forward pass without real weights.

usage: python make_tiny.py DIRECTORY

Writes model.safetensors, tokenizer.json, config.json and expected.json. The weights
are wide enough (standard deviation 0.5) that attention is far from uniform.
"""

import json
import platform
import sys
from pathlib import Path

import safetensors.torch
import tokenizers
import torch
import transformers

SYLLABLES = ["ba", "co", "di", "fu", "ge", "ha", "jo", "ki", "lu", "me", "no", "pa", "qu", "re", "si", "ta"]
TEXTS = [
    "",
    "ba",
    "ba co di",
    "baco dife",
    "ta si re qu pa no me lu ki jo ha ge fu di co ba",
    "ba ba ba ba",
    "unknown words here ba",
    " ".join(SYLLABLES[(i * 5) % 16] for i in range(100)),
    "BA Co\tdi\nfu!",
    " ".join(SYLLABLES[(i * 3) % 16] for i in range(30)),
]
MAX_TOKENS = 48


def make_tokenizer() -> tokenizers.Tokenizer:
    vocab = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "!", *SYLLABLES, *("##" + s for s in SYLLABLES)]
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.WordPiece({word: i for i, word in enumerate(vocab)}, unk_token="[UNK]")
    )
    tokenizer.normalizer = tokenizers.normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    # What a loader has to override.
    tokenizer.enable_truncation(7)
    tokenizer.enable_padding(length=9)
    return tokenizer


def make_model(vocab_size: int) -> transformers.BertModel:
    torch.manual_seed(20260101)
    config = transformers.BertConfig(
        vocab_size=vocab_size,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=72,
        max_position_embeddings=64,
        type_vocab_size=2,
        layer_norm_eps=1e-12,
    )
    model = transformers.BertModel(config, add_pooling_layer=False).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            noise = torch.randn_like(parameter)
            parameter.copy_(1 + 0.2 * noise if name.endswith("LayerNorm.weight") else 0.5 * noise)
    return model


def main() -> None:
    directory = Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    tokenizer = make_tokenizer()
    tokenizer.save(str(directory / "tokenizer.json"))
    model = make_model(tokenizer.get_vocab_size())
    tensors = {name: tensor.contiguous() for name, tensor in model.state_dict().items() if "position_ids" not in name}
    safetensors.torch.save_file(tensors, directory / "model.safetensors", metadata={"format": "pt"})
    (directory / "config.json").write_text(json.dumps(model.config.to_dict(), indent=1, sort_keys=True) + "\n")

    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    rows = []
    for text in TEXTS:
        ids = torch.tensor([tokenizer.encode(text).ids])
        with torch.no_grad():
            tokens = model(input_ids=ids).last_hidden_state[0]
        mean, first = tokens.mean(0), tokens[0]
        rows.append({
            "text": text,
            "tokens": ids.shape[1],
            "mean": [round(float(x), 7) for x in mean / mean.norm()],
            "cls": [round(float(x), 7) for x in first / first.norm()],
        })
    versions = {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "tokenizers": tokenizers.__version__,
    }
    document = {"made_with": versions, "max_tokens": MAX_TOKENS, "rows": rows}
    (directory / "expected.json").write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
