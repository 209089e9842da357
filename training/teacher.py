"""Writes what a reranker says of the candidates of questions, as `encoder.py --teacher` reads it.

    teacher.py --base DIR --reranker FILE --lists FILE.. --sets FILE.. --out FILE

Lists come from `aforesaid-studies reranker lists --form dialogue`, sets from `aforesaid-studies adapter --only-sets`. A score is the
logit plus the weighted score of the first stage. Candidates that are no passage of a set, such as long turns that are
windows there, are left out.
"""

import argparse
import json
import re
from pathlib import Path

import torch

from evidence import Lists, Reranker, logits_of, read

QUESTION = re.compile(r"QUERY_TIME: \d+\. (.*)", re.DOTALL)
PASSAGE = re.compile(r"MEMORY_TIME: \d+\. (.*?)(?: BEFORE: .*)?(?: AFTER: .*)?", re.DOTALL)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", required=True)
    parser.add_argument("--reranker", required=True, dest="begin")
    parser.add_argument("--lists", nargs="+", required=True)
    parser.add_argument("--sets", nargs="+", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--weight", type=float, default=1.0)
    parser.add_argument("--max-tokens", type=int, default=128)
    parser.add_argument("--rank", type=int, default=32)
    options = parser.parse_args()
    options.dropout = 0.0
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Reranker(options, 0).to(device)
    lists = Lists(read(options.lists, [], []), model.tokenizer, options.max_tokens, device)
    rows = torch.arange(len(lists.lists))
    scores = (logits_of(model, lists, rows) + options.weight * lists.first_stage).tolist()
    sets = [json.loads(line) for path in options.sets for line in Path(path).read_text().splitlines()]
    written = [taught for of in sets if not of["held_out"] for taught in of_set(of, lists.lists, scores)]
    Path(options.out).write_text("".join(json.dumps(line) + "\n" for line in written))
    print(json.dumps({"lists": len(lists.lists), "taught": len(written)}))


def of_set(of, lists, scores):
    """What the lists say of the questions of a set."""
    places = {forms[0]: place for place, forms in enumerate(of["passages"])}
    asked = {form: pair["questions"][0] for pair in of["pairs"] for form in pair["questions"]}
    for listed, listed_scores in zip(lists, scores, strict=True):
        # Two histories can have the same question.
        if not of["name"].startswith(listed["history"]):
            continue
        question = asked.get(QUESTION.fullmatch(listed["query"])[1])
        if question is None:
            continue
        found = [PASSAGE.fullmatch(passage)[1] for passage in listed["passages"]]
        known = [(places[text], score) for text, score in zip(found, listed_scores) if text in places]
        if len(known) > 1:
            passages, known_scores = zip(*known, strict=True)
            yield {"set": of["name"], "question": question, "passages": passages, "scores": known_scores}


if __name__ == "__main__":
    main()
