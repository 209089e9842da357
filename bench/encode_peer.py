"""One peer of `encode.py`, and the making of the models that ONNX Runtime runs.

    encode_peer.py export FILES MODEL ONNX
    encode_peer.py onnx|sentence-transformers MODEL THREADS TEXTS QUESTIONS

`export` lays FILES out as sentence-transformers wants them, writes f32.onnx from
the same weights, and int8.onnx by ONNX Runtime's own dynamic quantization, a
scale a channel. Of what was tried these are its fastest: its fused BERT operators
and larger batches were slower on the machines at hand.
"""

import json
import os
import resource
import sys
import time
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

import numpy as np

BATCH = 8
TOKENS = 256


def export(files, model, onnx):
    from layout import lay_out

    model, onnx = Path(model), Path(onnx)
    lay_out(files, model)
    onnx.mkdir(parents=True, exist_ok=True)
    if (onnx / "int8.onnx").exists():
        return
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.quantization.shape_inference import quant_pre_process
    from transformers import AutoModel

    class Tokens(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = AutoModel.from_pretrained(model, attn_implementation="eager").eval()

        def forward(self, input_ids, attention_mask, token_type_ids):
            kept = {"attention_mask": attention_mask, "token_type_ids": token_type_ids}
            return self.inner(input_ids=input_ids, **kept).last_hidden_state

    ids = torch.ones(2, 7, dtype=torch.long)
    inputs = ["input_ids", "attention_mask", "token_type_ids"]
    axes = {name: {0: "batch", 1: "length"} for name in [*inputs, "hidden"]}
    example = (ids, ids, torch.zeros_like(ids))
    names = {"input_names": inputs, "output_names": ["hidden"], "dynamic_axes": axes}
    torch.onnx.export(Tokens(), example, str(onnx / "f32.onnx"), dynamo=False, opset_version=17, **names)
    quant_pre_process(str(onnx / "f32.onnx"), str(onnx / "pre.onnx"), skip_symbolic_shape=True)
    quantize_dynamic(str(onnx / "pre.onnx"), str(onnx / "int8.onnx"), weight_type=QuantType.QInt8, per_channel=True)


class Onnx:
    def __init__(self, path, threads):
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self.tokenizer = Tokenizer.from_file(str(Path(path).parent.parent / "model/tokenizer.json"))
        self.tokenizer.enable_truncation(TOKENS)
        self.tokenizer.no_padding()

    def encode(self, texts):
        """Longest first in batches of like length, so that little is padded."""
        ids = [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]
        order = sorted(range(len(texts)), key=lambda i: -len(ids[i]))
        vectors = np.empty((len(texts), 384), np.float32)
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            shape = (len(batch), len(ids[batch[0]]))
            tokens, mask = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
            for row, i in enumerate(batch):
                tokens[row, : len(ids[i])] = ids[i]
                mask[row, : len(ids[i])] = 1
            feed = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)}
            hidden = self.session.run(None, feed)[0]
            mean = (hidden * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
            vectors[batch] = mean / np.linalg.norm(mean, axis=1, keepdims=True)
        return vectors


class SentenceTransformers:
    def __init__(self, path, threads):
        import torch
        from sentence_transformers import SentenceTransformer

        torch.set_num_threads(threads)
        self.model = SentenceTransformer(path, device="cpu")

    def encode(self, texts):
        return self.model.encode(texts, batch_size=32, normalize_embeddings=True)


def lines(path):
    return Path(path).read_text(encoding="utf-8").splitlines()


def serve(kind, path, threads, texts, questions):
    system = {"onnx": Onnx, "sentence-transformers": SentenceTransformers}[kind](path, int(threads))
    texts, questions = lines(texts), lines(questions)
    for command in sys.stdin:
        command, _, rest = command.strip().partition(" ")
        if command == "encode":
            start = time.perf_counter()
            system.encode(texts)
            answer = time.perf_counter() - start
        elif command == "ask":
            start = time.process_time()
            for question in questions:
                system.encode([question])
            answer = (time.process_time() - start) * 1000 / len(questions)
        elif command == "facts":
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            answer = {"texts": len(texts), "peak_memory_kb": peak}
        elif command == "vectors":
            vectors = np.asarray(system.encode(texts), "<f4")
            vectors.tofile(rest)
            answer = vectors.shape[1]
        else:
            raise SystemExit(f"unknown command {command!r}")
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "export":
        export(*sys.argv[2:])
    else:
        serve(*sys.argv[1:])
