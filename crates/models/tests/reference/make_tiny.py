"""Makes tiny random models of every architecture and what they give, to test without real weights.

usage: python make_tiny.py DIRECTORY [NAME ...]

Writes a folder a model: model.safetensors, tokenizer.json, config.json, what sentence-transformers keeps beside
them, and expected.json. The weights are wide enough (standard deviation 0.5) that attention is far from uniform.
Needs torch, transformers, tokenizers, safetensors, sentencepiece for the normalisation rules of Unigram models, and
sentence-transformers for the score that it makes of modules.
"""

import io
import json
import platform
import sys
import tempfile
from pathlib import Path

import safetensors.torch
import sentencepiece
import tokenizers
import torch
import transformers
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors, trainers

SYLLABLES = ["ba", "co", "di", "fu", "ge", "ha", "jo", "ki", "lu", "me", "no", "pa", "qu", "re", "si", "ta"]


def syllables(count: int, step: int) -> str:
    return " ".join(SYLLABLES[(i * step) % 16] for i in range(count))


TEXTS = [
    "",
    "ba",
    "ba co di",
    "baco dife",
    "ta si re qu pa no me lu ki jo ha ge fu di co ba",
    "ba ba ba ba",
    "unknown words here ba",
    syllables(100, 5),
    "BA Co\tdi\nfu!",
    syllables(30, 3),
]
# What can go wrong between a text and its tokens; "<pad>" is a special token in some vocabularies.
HARD_TEXTS = [
    " ",
    "  ba   co  ",
    "caf\u00e9 cafe\u0301 ba",
    "\uff22\uff41 \uff43\uff4f\u3000di \ufb01",
    "\u6211\u4eec\u4e94\u6708 ba \U0001f600 \u0441\u043e",
    "ba <pad> co <pad><pad> di",
    "\u200b\u00ad ba\u00a0co",
    syllables(300, 7),
]
# Invented sentences, to learn a vocabulary from.
CORPUS = [
    "Ina planted three rows of beans behind the old mill.",
    "Which colour was the kite that Omar lost on the beach?",
    "She said the ferry leaves at seven, or maybe at eight.",
    "Der kleine Hund bellt, weil niemand mit ihm spielt.",
    "Le caf\u00e9 du coin ferme t\u00f4t en hiver.",
    "\u0421\u043e\u0431\u0430\u043a\u0430 \u043b\u044e\u0431\u0438\u0442 \u0441\u043d\u0435\u0433.",
    "\u6211\u4eec\u4e94\u6708\u642c\u5230\u4e86\u6d77\u8fb9\u3002",
    *(syllables(24, step) for step in (1, 3, 5, 7)),
]
PAIRS = [
    ("ba co?", ["ba", "", "di fu ge ha", "ba co", syllables(80, 3)]),
    ("", ["", "ta si re"]),
    (syllables(60, 5), ["ba", syllables(5, 3), syllables(90, 7)]),
    ("which kite did Omar lose?", ["Omar lost the red kite.", "caf\u00e9 \u4e94\u6708 \U0001f600", "BA Co\tdi\nfu!"]),
    (syllables(18, 1), [syllables(17, 9), syllables(18, 9), syllables(19, 9), syllables(20, 9)]),
]


def bert_wordpiece(cls: str, sep: str, head: list[str]) -> tokenizers.Tokenizer:
    vocab = [*head, "!", *SYLLABLES, *("##" + s for s in SYLLABLES)]
    unknown = next(word for word in head if "unk" in word.lower())
    tokenizer = tokenizers.Tokenizer(models.WordPiece({word: i for i, word in enumerate(vocab)}, unk_token=unknown))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = [(cls, vocab.index(cls)), (sep, vocab.index(sep))]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{cls} $A {sep}", pair=f"{cls} $A {sep} $B:1 {sep}:1", special_tokens=special
    )
    return tokenizer


def tiny_wordpiece() -> tokenizers.Tokenizer:
    tokenizer = bert_wordpiece("[CLS]", "[SEP]", ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    # What a loader has to override.
    tokenizer.enable_truncation(7)
    tokenizer.enable_padding(length=9)
    return tokenizer


def pair_wordpiece() -> tokenizers.Tokenizer:
    return bert_wordpiece("[CLS]", "[SEP]", ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])


def mpnet_wordpiece() -> tokenizers.Tokenizer:
    tokenizer = bert_wordpiece("<s>", "</s>", ["<s>", "<pad>", "</s>", "[UNK]", "<mask>"])
    tokenizer.add_special_tokens(["<s>", "<pad>", "</s>", "<mask>"])
    return tokenizer


def byte_bpe(special=("<s>", "<pad>", "</s>", "<unk>", "<mask>")) -> tokenizers.Tokenizer:
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=320,
        special_tokens=list(special),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    return tokenizer


def modernbert_bpe() -> tokenizers.Tokenizer:
    tokenizer = byte_bpe(["[CLS]", "[PAD]", "[SEP]", "[UNK]", "[MASK]"])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=[("[CLS]", 0), ("[SEP]", 2)]
    )
    return tokenizer


def unigram() -> tokenizers.Tokenizer:
    """A SentencePiece model as XLM-R's tokenizer.json holds it, with a small table of normalisations."""
    rules = {0xA0: [0x20], 0x3000: [0x20], 0xFB01: [0x66, 0x69], 0xAD: [], 0x200B: [], 0x09: [0x20], 0x0A: [0x20]}
    rules |= {0xFF21 + i: [0x41 + i] for i in range(26)} | {0xFF41 + i: [0x61 + i] for i in range(26)}
    lines = [f"{source:X}\t{' '.join(f'{c:X}' for c in target)}\n" for source, target in sorted(rules.items())]
    written = io.BytesIO()
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as table:
        table.writelines(lines)
        table.flush()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(CORPUS),
            model_writer=written,
            vocab_size=150,
            hard_vocab_limit=False,
            character_coverage=1.0,
            model_type="unigram",
            normalization_rule_tsv=table.name,
            minloglevel=2,
        )
    from sentencepiece import sentencepiece_model_pb2 as proto

    spm = proto.ModelProto.FromString(written.getvalue())
    pieces = [(piece.piece, piece.score) for piece in spm.pieces[3:]]
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    vocab = [*((word, 0.0) for word in special), *pieces, ("<mask>", 0.0)]
    tokenizer = tokenizers.Tokenizer(models.Unigram(vocab, unk_id=3))
    tokenizer.normalizer = normalizers.Sequence([
        normalizers.Precompiled(spm.normalizer_spec.precompiled_charsmap),
        normalizers.Replace(tokenizers.Regex(" {2,}"), " "),
    ])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.WhitespaceSplit(),
        pre_tokenizers.Metaspace(replacement="\u2581", prepend_scheme="always"),
    ])
    tokenizer.decoder = decoders.Metaspace(replacement="\u2581", prepend_scheme="always")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    tokenizer.add_special_tokens([*special, tokenizers.AddedToken("<mask>", lstrip=True)])
    return tokenizer


def randomise(model: torch.nn.Module, seed: int) -> torch.nn.Module:
    torch.manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            noise = torch.randn_like(parameter)
            parameter.copy_(1 + 0.2 * noise if name.endswith(("LayerNorm.weight", "norm.weight")) else 0.5 * noise)
    return model.eval()


SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 72}
# A window of 8 tokens on both sides, which is less than most pairs have.
MODERNBERT = {
    "hidden_size": 20, "num_hidden_layers": 5, "num_attention_heads": 2, "intermediate_size": 24, "local_attention": 16,
    "max_position_embeddings": 200, "pad_token_id": 1, "bos_token_id": 0, "cls_token_id": 0, "eos_token_id": 2,
    "sep_token_id": 2,
}
ROBERTA = {"pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2, "type_vocab_size": 1, "layer_norm_eps": 1e-5}


def tiny(directory: Path) -> dict:
    tokenizer = tiny_wordpiece()
    config = transformers.BertConfig(
        vocab_size=tokenizer.get_vocab_size(), max_position_embeddings=64, type_vocab_size=2, layer_norm_eps=1e-12, **SMALL
    )
    # The seed comes before the model here: its own initial weights draw numbers too.
    torch.manual_seed(20260101)
    model = transformers.BertModel(config, add_pooling_layer=False).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            noise = torch.randn_like(parameter)
            parameter.copy_(1 + 0.2 * noise if name.endswith("LayerNorm.weight") else 0.5 * noise)
    save(directory, tokenizer, model)
    rows = []
    for text in TEXTS:
        tokens, count = token_vectors(tokenizer, model, text, 48)
        rows.append({"text": text, "tokens": count, "mean": unit(tokens.mean(0)), "cls": unit(tokens[0])})
    return {"max_tokens": 48, "rows": rows}


def tiny_mpnet(directory: Path) -> dict:
    """Long texts, so that every bucket of the relative positions is met."""
    tokenizer = mpnet_wordpiece()
    config = transformers.MPNetConfig(
        vocab_size=tokenizer.get_vocab_size(), max_position_embeddings=202, layer_norm_eps=1e-5, **SMALL
    )
    model = randomise(transformers.MPNetModel(config, add_pooling_layer=False), 1)
    return encoder(directory, tokenizer, model, "mean", max_tokens=180)


def tiny_roberta(directory: Path) -> dict:
    """The encoder of a language model: its tensors are prefixed, and stored as bfloat16."""
    tokenizer = byte_bpe()
    config = transformers.RobertaConfig(
        vocab_size=tokenizer.get_vocab_size(), max_position_embeddings=66, **SMALL, **ROBERTA
    )
    model = randomise(transformers.RobertaForMaskedLM(config), 2).bfloat16().float()
    document = encoder(directory, tokenizer, model.roberta, "mean")
    inner = {f"roberta.{name}": tensor.bfloat16() for name, tensor in tensors_of(model.roberta).items()}
    safetensors.torch.save_file(inner, directory / "model.safetensors", metadata={"format": "pt"})
    return document


def tiny_xlm_roberta(directory: Path) -> dict:
    """Three layers, heads of 16, weights stored as half precision; the first token's vector, after a prompt."""
    tokenizer = unigram()
    config = transformers.XLMRobertaConfig(
        vocab_size=tokenizer.get_vocab_size() + 3, max_position_embeddings=66, hidden_size=48, num_hidden_layers=3,
        num_attention_heads=3, intermediate_size=80, **ROBERTA,
    )
    model = randomise(transformers.XLMRobertaModel(config, add_pooling_layer=False), 3).half().float()
    document = encoder(directory, tokenizer, model, "cls", query="ask ba: ", max_tokens=40)
    halves = {name: tensor.half() for name, tensor in tensors_of(model).items()}
    safetensors.torch.save_file(halves, directory / "model.safetensors", metadata={"format": "pt"})
    return document


def tiny_multilingual_e5(directory: Path) -> dict:
    """A BertModel, positions from 0, with XLM-R's kind of tokenizer and E5's prompts."""
    tokenizer = unigram()
    config = transformers.BertConfig(
        vocab_size=tokenizer.get_vocab_size(), max_position_embeddings=48, type_vocab_size=2, pad_token_id=0, **SMALL
    )
    model = randomise(transformers.BertModel(config, add_pooling_layer=False), 4)
    return encoder(directory, tokenizer, model, "mean", query="query: ", passage="passage: ")


def tiny_cross_bert(directory: Path) -> dict:
    tokenizer = pair_wordpiece()
    config = transformers.BertConfig(
        vocab_size=tokenizer.get_vocab_size(), max_position_embeddings=40, type_vocab_size=2, num_labels=1, **SMALL
    )
    model = randomise(transformers.BertForSequenceClassification(config), 5)
    return cross_encoder(directory, tokenizer, model, max_tokens=40)


def tiny_cross_xlm_roberta(directory: Path) -> dict:
    tokenizer = unigram()
    config = transformers.XLMRobertaConfig(
        vocab_size=tokenizer.get_vocab_size(), max_position_embeddings=50, num_labels=1, **SMALL, **ROBERTA
    )
    model = randomise(transformers.XLMRobertaForSequenceClassification(config), 6)
    return cross_encoder(directory, tokenizer, model, max_tokens=48)


def tiny_modernbert(directory: Path) -> dict:
    """Every bias that a configuration may switch on, other layers that see the whole text, and other rotations."""
    tokenizer = modernbert_bpe()
    config = transformers.ModernBertConfig(
        vocab_size=tokenizer.get_vocab_size(), attention_bias=True, mlp_bias=True, norm_bias=True,
        layer_types=["sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention"],
        rope_parameters={
            "full_attention": {"rope_type": "default", "rope_theta": 500.0},
            "sliding_attention": {"rope_type": "default", "rope_theta": 50.0},
        },
        **MODERNBERT,
    )
    model = randomise(transformers.ModernBertModel(config), 7)
    return encoder(directory, tokenizer, model, "mean", max_tokens=180)


def tiny_cross_modernbert(directory: Path) -> dict:
    """A classifier in the model's own file that pools by the mean; the configuration as transformers 4 wrote it."""
    tokenizer = modernbert_bpe()
    config = transformers.ModernBertConfig(
        vocab_size=tokenizer.get_vocab_size(), num_labels=1, classifier_pooling="mean", classifier_bias=True, **MODERNBERT
    )
    model = randomise(transformers.ModernBertForSequenceClassification(config), 8)
    document = cross_encoder(directory, tokenizer, model, max_tokens=200)
    path = directory / "config.json"
    config = json.loads(path.read_text())
    del config["layer_types"], config["rope_parameters"]
    config |= {"global_attn_every_n_layers": 3, "global_rope_theta": 160000.0, "local_rope_theta": 10000.0}
    path.write_text(json.dumps(config, indent=1, sort_keys=True) + "\n")
    read = transformers.ModernBertForSequenceClassification.from_pretrained(directory)
    assert read.config.layer_types == model.config.layer_types and read.config.rope_parameters == model.config.rope_parameters
    return document


def tiny_cross_modules(directory: Path) -> dict:
    """An encoder with modules of sentence-transformers that make a score of its first token, as Ettin's rerankers are."""
    import sentence_transformers
    from sentence_transformers.sentence_transformer.modules import Dense, LayerNorm, Pooling, Transformer

    tokenizer = modernbert_bpe()
    config = transformers.ModernBertConfig(vocab_size=tokenizer.get_vocab_size(), **MODERNBERT)
    model = randomise(transformers.ModernBertModel(config), 9)
    width = config.hidden_size
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        names = {"pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]", "unk_token": "[UNK]", "mask_token": "[MASK]"}
        fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=96, **names)
        fast.save_pretrained(folder)
        scorer = sentence_transformers.CrossEncoder(modules=[
            Transformer(folder, max_seq_length=96),
            Pooling(width, pooling_mode="cls"),
            Dense(width, width, bias=False, activation_function=torch.nn.GELU(), module_output_name="sentence_embedding"),
            LayerNorm(width),
            Dense(width, 1, activation_function=torch.nn.Identity(), module_output_name="scores"),
        ], device="cpu", activation_fn=torch.nn.Identity())
        for module, seed in [(scorer[2], 10), (scorer[3], 11), (scorer[4], 12)]:
            randomise(module, seed)
        scorer.save(str(directory))
    for name in ["README.md", "special_tokens_map.json"]:
        (directory / name).unlink(missing_ok=True)
    tokenizer.enable_truncation(96, strategy="longest_first")
    rows = []
    for query, passages in PAIRS:
        scores = scorer.predict([(query, passage) for passage in passages])
        counts = [len(tokenizer.encode(query, passage).ids) for passage in passages]
        rows.append({"query": query, "passages": passages, "scores": [round(float(s), 6) for s in scores], "tokens": counts})
    return {"rows": rows}


def tensors_of(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    return {name: tensor.contiguous() for name, tensor in model.state_dict().items() if "position_ids" not in name}


def write_json(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1) + "\n")


def save(directory: Path, tokenizer: tokenizers.Tokenizer, model: torch.nn.Module) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(directory / "tokenizer.json"))
    safetensors.torch.save_file(tensors_of(model), directory / "model.safetensors", metadata={"format": "pt"})
    model.config.architectures = None if directory.name == "tiny" else [type(model).__name__]
    (directory / "config.json").write_text(json.dumps(model.config.to_dict(), indent=1, sort_keys=True) + "\n")


def unit(vector: torch.Tensor) -> list[float]:
    return [round(float(x), 7) for x in vector / vector.norm()]


def token_vectors(tokenizer, model, text: str, max_tokens: int) -> tuple[torch.Tensor, int]:
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    ids = torch.tensor([tokenizer.encode(text).ids])
    with torch.no_grad():
        return model(input_ids=ids).last_hidden_state[0], ids.shape[1]


def encoder(directory, tokenizer, model, pooling: str, query="", passage="", max_tokens=None) -> dict:
    save(directory, tokenizer, model)
    write_json(directory / "1_Pooling" / "config.json", {f"pooling_mode_{'cls_token' if pooling == 'cls' else 'mean_tokens'}": True})
    if query or passage:
        write_json(directory / "config_sentence_transformers.json", {"prompts": {"query": query, "passage": passage}})
    if max_tokens:
        write_json(directory / "sentence_bert_config.json", {"max_seq_length": max_tokens})
    offset = 0 if model.config.model_type in ("bert", "modernbert") else 2
    limit = max_tokens or model.config.max_position_embeddings - offset
    rows = []
    for text in TEXTS + HARD_TEXTS:
        row = {"text": text}
        for role, prefix in [("query", query), ("passage", passage)]:
            tokens, count = token_vectors(tokenizer, model, prefix + text, limit)
            row[role] = unit(tokens[0] if pooling == "cls" else tokens.mean(0))
            row[f"{role}_tokens"] = count
            if not query and not passage:
                break
        rows.append(row)
    return {"rows": rows}


def cross_encoder(directory, tokenizer, model, max_tokens: int) -> dict:
    save(directory, tokenizer, model)
    tokenizer.enable_truncation(max_tokens, strategy="longest_first")
    rows = []
    for query, passages in PAIRS:
        scores, counts = [], []
        for passage in passages:
            encoding = tokenizer.encode(query, passage)
            inputs = {"input_ids": torch.tensor([encoding.ids])}
            # Tokenizers of the RoBERTa family give no token types to their models.
            if model.config.model_type == "bert":
                inputs["token_type_ids"] = torch.tensor([encoding.type_ids])
            with torch.no_grad():
                scores.append(round(float(model(**inputs).logits[0, 0]), 6))
            counts.append(len(encoding.ids))
        rows.append({"query": query, "passages": passages, "scores": scores, "tokens": counts})
    return {"rows": rows}


MODELS = {
    "tiny": tiny,
    "tiny-mpnet": tiny_mpnet,
    "tiny-roberta": tiny_roberta,
    "tiny-xlm-roberta": tiny_xlm_roberta,
    "tiny-multilingual-e5": tiny_multilingual_e5,
    "tiny-cross-bert": tiny_cross_bert,
    "tiny-cross-xlm-roberta": tiny_cross_xlm_roberta,
    "tiny-modernbert": tiny_modernbert,
    "tiny-cross-modernbert": tiny_cross_modernbert,
    "tiny-cross-modules": tiny_cross_modules,
}


def main() -> None:
    versions = {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "tokenizers": tokenizers.__version__,
    }
    for name in sys.argv[2:] or MODELS:
        directory = Path(sys.argv[1]) / name
        write_json(directory / "expected.json", {"made_with": versions, **MODELS[name](directory)})


if __name__ == "__main__":
    main()
