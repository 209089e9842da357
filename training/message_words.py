"""Learns by which words messages to an assistant are told apart: requests from questions about what was, or messages that go on with
something from all others.

A logistic model with an L1 penalty over words and pairs of words, of datasets/messages and the questions of datasets/conversations and
datasets/questions. It writes the table that `crates/core/src/analysis/requests.rs` or `continuing.rs` beside it reads: a line a phrase,
its log odds before it.
"""

import argparse
import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

# What is told from the rest, by the folder of datasets/messages that has the messages.
SOUGHT = {"requests": "request", "continuing": "continues"}
# Written apart from the others: never learned from.
HELD_OUT = {"requests": {"plain-all-sorts", "twelve-people"}, "continuing": {"plain", "all-sorts", "natural-all"}}
# Categories whose questions are at times requests, or look like messages that go on.
UNCLEAR = {"long", "plain", "followup"}
# What a question counts beside a message. That of a request is 0 where requests may be either.
WEIGHTS = {"requests": {"request": 1.5, "question": 0.25}, "continuing": {"request": 0.0, "question": 0.25}}
LEAST_TEXTS = 5
INVERSE_PENALTY = 2.0
LEAST_LOG_ODDS = 0.05

TOKEN = re.compile(r"\d[\w.,:]*\w|\d|[^\W_]+(?:['.][^\W_]+)*|\?")


def marks(text):
    """Words, question marks, numbers and the bounds of sentences, as `phrases.rs` has them."""
    found = []
    for sentence in re.split(r"(?<=[.!?:;])\s+|\n+", text.replace("\u2019", "'").lower()):
        tokens = TOKEN.findall(sentence)
        while tokens and tokens[0] == "?":
            tokens.pop(0)
        if tokens:
            found += ["^"] + ["#" if token[0].isdigit() else token for token in tokens]
    return found + ["$"]


def phrases(text):
    """The distinct words and pairs of a text."""
    found = marks(text)
    pairs = {f"{first} {second}" for first, second in zip(found, found[1:])}
    return pairs | (set(found) - {"^", "$", "#"})


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def read(datasets, of):
    """Texts, whether each is of the kind, and what it counts; and those held out."""
    learned, held_out = [], []
    for path in sorted((datasets / "messages" / of).glob("*.jsonl")):
        texts = held_out if path.stem in HELD_OUT[of] else learned
        texts += [(line["text"], line["kind"] == SOUGHT[of], 1.0) for line in lines(path)]
    conversations = datasets / "conversations"
    paths = [*conversations.glob("*.questions.jsonl"), *conversations.glob("*.further.jsonl"), *(datasets / "questions").glob("*/*.jsonl")]
    for path in sorted(paths):
        for line in lines(path):
            kind = "request" if line["category"] == "request" else "question"
            if line["category"] not in UNCLEAR and WEIGHTS[of][kind] > 0:
                learned.append((line["query"], kind == SOUGHT[of], WEIGHTS[of][kind]))
    return learned, held_out


def matrix(texts, vocabulary):
    numbers = {phrase: number for number, phrase in enumerate(vocabulary)}
    places = [(row, numbers[phrase]) for row, text in enumerate(texts) for phrase in sorted(phrases(text)) if phrase in numbers]
    rows, columns = zip(*places)
    return csr_matrix((np.ones(len(places)), (rows, columns)), shape=(len(texts), len(vocabulary)))


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("of", choices=sorted(SOUGHT))
    arguments.add_argument("--datasets", type=Path, default=Path("datasets"))
    arguments.add_argument("--out", type=Path, help="crates/core/src/analysis/OF.tsv, where nothing is said")
    options = arguments.parse_args()
    learned, held_out = read(options.datasets, options.of)
    texts, truths, weights = zip(*learned)
    counts = Counter(phrase for text in texts for phrase in phrases(text))
    vocabulary = sorted(phrase for phrase, count in counts.items() if count >= LEAST_TEXTS)
    model = LogisticRegression(C=INVERSE_PENALTY, l1_ratio=1.0, solver="liblinear", max_iter=1000, random_state=0)
    model.fit(matrix(texts, vocabulary), truths, sample_weight=weights)
    kept = [(weight, phrase) for weight, phrase in zip(model.coef_[0], vocabulary) if abs(weight) >= LEAST_LOG_ODDS]
    table = [(model.intercept_[0], ""), *kept]
    out = options.out or Path(f"crates/core/src/analysis/{options.of}.tsv")
    out.write_text("".join(f"{weight:.2f}\t{phrase}\n" for weight, phrase in table), encoding="utf-8")
    texts, truths, _ = zip(*held_out)
    likely = model.predict_proba(matrix(texts, vocabulary))[:, 1]
    truths = np.array(truths)
    print(f"{len(learned)} texts, {len(kept)} phrases; held out: AUROC {roc_auc_score(truths, likely):.3f}, "
          f"{np.mean(likely[truths] >= 0.5):.3f} of {truths.sum()} that are of the kind and {np.mean(likely[~truths] >= 0.5):.3f} of {(~truths).sum()} others taken for it")


if __name__ == "__main__":
    main()
