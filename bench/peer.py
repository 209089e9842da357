"""What sentence-transformers does with the same questions and vectors.

    peer.py MODEL STORE QUESTIONS     milliseconds a question, p50 and p95

The search is the one its documentation shows: encode the question, then
`util.semantic_search` over all vectors in memory. It reads the vectors that
aforesaid stored, so both search the same ones.
"""

import json
import os
import sqlite3
import sys
import time

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

import numpy as np
import torch
from sentence_transformers import SentenceTransformer, util


def load(model):
    return SentenceTransformer(model, device="cpu")


def search(model, store, questions):
    rows = sqlite3.connect(f"file:{store}?mode=ro", uri=True).execute("SELECT data FROM vector ORDER BY seq")
    vectors = torch.from_numpy(np.stack([np.frombuffer(data, dtype="<f4") for (data,) in rows]))
    encoder = load(model)
    with open(questions, encoding="utf-8") as lines:
        questions = [line.rstrip("\n") for line in lines]
    encoder.encode(questions[:16])
    encoding, searching = [], []
    for question in questions:
        start = time.perf_counter()
        query = encoder.encode(question, convert_to_tensor=True, normalize_embeddings=True)
        middle = time.perf_counter()
        util.semantic_search(query, vectors, top_k=10)
        searching.append((time.perf_counter() - middle) * 1000)
        encoding.append((middle - start) * 1000)
    return {
        "encode_p50": float(np.percentile(encoding, 50)),
        "encode_p95": float(np.percentile(encoding, 95)),
        "search_p50": float(np.percentile(searching, 50)),
        "search_p95": float(np.percentile(searching, 95)),
    }


if __name__ == "__main__":
    print(json.dumps(search(*sys.argv[1:])))
