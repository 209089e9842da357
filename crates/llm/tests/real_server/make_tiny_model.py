#!/usr/bin/env python3
"""Writes a tiny llama model as GGUF: random weights that know nothing but a chain of words.

It needs the packages gguf and numpy. Bytes are its vocabulary, and some words; two layers of random weights are
so weak that the last token decides about the next one, by FOLLOWERS. Left alone, the model writes a sentence; what
a grammar makes it write, it fills with words and ends.
"""

import sys

import gguf
import numpy as np

WIDTH, LAYERS, HEADS, INNER, CONTEXT = 64, 2, 4, 128, 16384

ROLES = ["<|system|>", "<|user|>", "<|assistant|>"]
QUESTIONS = '{"questions":["'
END = "</s>"

TEMPLATE = (
    "{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}</s>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)

# What follows a token, the likeliest first; a space before a word belongs to it. A grammar may rule the first out.
FOLLOWERS = {
    "<|assistant|>": ["The", QUESTIONS, "{"],
    "The": [" answer"], " answer": [" stands"], " stands": [" there"], " there": [" [1]"], " [1]": ["."], ".": [END],
    QUESTIONS: ["Who"],
    "Who": [" lit"], " lit": [" the"], " the": [" zinc"], " zinc": [" lantern"], " lantern": ["?"], "?": ['"'],
    '"': ["]", ":", ","],
    "{": ['"'], "[": ["{"], ":": ["1", "[", '"'], ",": ['"', "{"], "1": ["}", ","], "}": [END, "]"], "]": ["}"],
}


def vocabulary():
    """Tokens and their types: special ones, every byte, the space, and the words of the chain."""
    kind = gguf.TokenType
    tokens = [("<unk>", kind.UNKNOWN), ("<s>", kind.CONTROL), (END, kind.CONTROL)]
    tokens += [(role, kind.CONTROL) for role in ROLES]
    tokens += [(f"<0x{byte:02X}>", kind.BYTE) for byte in range(256)]
    words = [word for word in FOLLOWERS if len(word) > 1 and word not in ROLES]
    return tokens + [(word.replace(" ", "\u2581"), kind.NORMAL) for word in [" ", *words]]


def name(word):
    """The token of a word of the chain."""
    return f"<0x{ord(word):02X}>" if len(word) == 1 else word.replace(" ", "\u2581")


def tensors(ids):
    """Random weights from a fixed seed, and rows of the output that make the chain."""
    random = np.random.default_rng(7)

    def weights(*shape, scale=0.02):
        return (random.standard_normal(shape) * scale).astype(np.float32)

    # Directions at right angles for the tokens of the chain, so that none is taken for another.
    axes, _ = np.linalg.qr(random.standard_normal((WIDTH, WIDTH)))
    embedding, output = weights(len(ids), WIDTH, scale=1.0), weights(len(ids), WIDTH)
    for (word, followers), axis in zip(FOLLOWERS.items(), axes):
        embedding[ids[name(word)]] = axis * np.sqrt(WIDTH)
        for rank, follower in enumerate(followers):
            output[ids[name(follower)]] += axis * (8 - 2 * rank)

    yield "token_embd.weight", embedding
    yield "output_norm.weight", np.ones(WIDTH, np.float32)
    yield "output.weight", output
    for layer in range(LAYERS):
        for norm in ["attn_norm", "ffn_norm"]:
            yield f"blk.{layer}.{norm}.weight", np.ones(WIDTH, np.float32)
        for matrix in ["attn_q", "attn_k", "attn_v", "attn_output"]:
            yield f"blk.{layer}.{matrix}.weight", weights(WIDTH, WIDTH)
        for matrix in ["ffn_gate", "ffn_up"]:
            yield f"blk.{layer}.{matrix}.weight", weights(INNER, WIDTH)
        yield f"blk.{layer}.ffn_down.weight", weights(WIDTH, INNER)


def main(path):
    tokens, types = zip(*vocabulary())
    ids = {token: place for place, token in enumerate(tokens)}
    file = gguf.GGUFWriter(path, "llama")
    file.add_name("tiny")
    file.add_context_length(CONTEXT)
    file.add_embedding_length(WIDTH)
    file.add_block_count(LAYERS)
    file.add_feed_forward_length(INNER)
    file.add_head_count(HEADS)
    file.add_head_count_kv(HEADS)
    file.add_rope_dimension_count(WIDTH // HEADS)
    file.add_layer_norm_rms_eps(1e-5)
    file.add_vocab_size(len(tokens))
    file.add_file_type(gguf.LlamaFileType.ALL_F32)
    file.add_tokenizer_model("llama")
    file.add_token_list(tokens)
    file.add_token_scores([0.0] * len(tokens))
    file.add_token_types(types)
    file.add_unk_token_id(ids["<unk>"])
    file.add_bos_token_id(ids["<s>"])
    file.add_eos_token_id(ids[END])
    file.add_add_bos_token(True)
    file.add_add_space_prefix(False)
    file.add_chat_template(TEMPLATE)
    for tensor, values in tensors(ids):
        file.add_tensor(tensor, values)
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: make_tiny_model.py OUT.gguf")
    main(sys.argv[1])
