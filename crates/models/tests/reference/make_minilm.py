"""Writes reference vectors of all-MiniLM-L6-v2 as sentence-transformers makes them.

usage: HF_HUB_OFFLINE=1 python make_minilm.py MODEL_DIR minilm.json
"""

import json
import platform
import sys

import sentence_transformers
import tokenizers
import torch
import transformers

WORDS = "the quick brown fox jumps over a lazy dog while seven wizards brew strange potions near old towers".split()

TEXTS = [
    "",
    " ",
    "a",
    "I",
    "7",
    "hello",
    "Hello",
    "unbelievably",
    " ".join(WORDS[i % len(WORDS)] for i in range(600)),
    " ".join(f"{WORDS[(i * 7) % len(WORDS)]}-{i}" for i in range(120)),
    "Ann: We moved to Lyon in May.",
    "Ben: Really? I thought you would stay in Oslo until the summer!",
    "Ann: No, the new job started earlier than planned :)",
    "Leena: I welded a gate yesterday and it nearly stands up by itself.",
    "assistant: Sure, here are three ideas:\n1. Hiking\n2. Pottery\n3. A book club",
    "When did Ann move to Lyon?",
    "who has a dog named Max",
    "What did Leena weld in 2023, and why?",
    "\U0001f600",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 family trip \U0001f3d6\ufe0f\U0001f389\U0001f389",
    "\u6211\u4eec\u4e94\u6708\u642c\u5230\u4e86\u91cc\u6602\u3002",
    "\u6771\u4eac\u306f\u65e5\u672c\u306e\u9996\u90fd\u3067\u3059\u3002",
    "\uc548\ub155\ud558\uc138\uc694 \uc138\uacc4",
    "Caf\u00e9 na\u00efve r\u00e9sum\u00e9 \u00e0 la cr\u00e8me br\u00fbl\u00e9e",
    "Cafe\u0301 nai\u0308ve re\u0301sume\u0301",
    "Stra\u00dfe \u0141\u00f3d\u017a \u00d8resund \u0130stanbul \u0131\u015f\u0131k",
    "\u0645\u0631\u062d\u0628\u0627 \u0628\u0627\u0644\u0639\u0627\u0644\u0645",
    "\u0648\u064e\u0642\u064e\u0627\u0644\u064e \u0644\u0650\u064a",
    "\u041f\u0440\u0438\u0432\u0435\u0442, \u043a\u0430\u043a \u0434\u0435\u043b\u0430?",
    "\u0928\u092e\u0938\u094d\u0924\u0947 \u0926\u0941\u0928\u093f\u092f\u093e",
    "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd",
    "mixed \u041c\u043e\u0441\u043a\u0432\u0430 \u6771\u4eac Z\u00fcrich \u0627\u0644\u0642\u0627\u0647\u0631\u0629 end",
    "?!...",
    "--- *** ___ ### @@@",
    "\u00ab\u2026\u00bb \u2014 \u201cquotes\u201d \u2018and\u2019 \u2013 dashes",
    "line one\nline two\n\n\tindented\r\nwindows",
    "\t\t  \n",
    "x" * 99,
    "x" * 101,
    "Donaudampfschifffahrtselektrizit\u00e4tenhauptbetriebswerkbauunterbeamtengesellschaft",
    "https://example.org/a/b?c=d&e=f#g and mail ann@example.com",
    "3.14159 1,000,000 -42 0x1F 2023-05-08T13:56:00Z $19.99 50%",
    "fn main() { println!(\"{:?}\", vec![1, 2, 3]); }",
    "SELECT id, text FROM turns WHERE namespace = ? ORDER BY seq DESC;",
    "def f(x):\n    return {k: v for k, v in x.items() if v is not None}",
    "[CLS] [SEP] [MASK] [PAD] special words",
    "zero\u200bwidth and non\u00a0breaking and soft\u00adhyphen",
    "control\u0001char \u0000nul \ufffd replacement",
    "ALL CAPS SHOUTING vs all caps shouting",
    "I'm can't won't it's they'd y'all",
    "\uff26\uff35\uff2c\uff2c\uff37\uff29\uff24\uff34\uff28 \u2460\u2461\u2462 \u00bd \ufb01ne",
    "a b c d e f g h i j k l m n o p q r s t u v w x y z",
]


def main() -> None:
    model_dir, output = sys.argv[1:]
    torch.set_num_threads(1)
    model = sentence_transformers.SentenceTransformer(model_dir, device="cpu")
    model.max_seq_length = 256
    # One text at a time: no padding, the least rounding.
    vectors = [model.encode([text], normalize_embeddings=True)[0] for text in TEXTS]
    document = {
        "model": "sentence-transformers/all-MiniLM-L6-v2",
        "made_with": {
            "python": platform.python_version(),
            "sentence_transformers": sentence_transformers.__version__,
            "transformers": transformers.__version__,
            "tokenizers": tokenizers.__version__,
            "torch": torch.__version__,
        },
    }
    rows = [{"text": text, "vector": [round(float(x), 6) for x in vector]} for text, vector in zip(TEXTS, vectors)]
    lines = ",\n".join(json.dumps(row) for row in rows)
    head = json.dumps(document, indent=1)[:-2]
    with open(output, "w", encoding="utf-8") as file:
        file.write(f'{head},\n "rows": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
