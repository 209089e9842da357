"""Writes a made-up history of N turns as JSON lines, and questions about it.

    make_history.py N HISTORY QUESTIONS [CUES] [--long-share SHARE]

CUES, if named, gets three cue questions a turn, made of its words and others. Words follow Zipf's law over the vocabulary of the demo conversation and made-up
names, so that postings are as uneven as in real talk. A turn has 4 to 24 words; with --long-share, that share of the turns, evenly spread, has 200 to 500, as
what an assistant answers, and the others are those without it. The same arguments give the same files.
"""

import argparse
import json
import os
import random
import re
from itertools import accumulate
from pathlib import Path

TURNS_A_SESSION = 20
SESSIONS_A_CONVERSATION = 25
QUESTIONS = 200
CUES_A_TURN = 3
WORDS_A_SENTENCE = 15
DEMO = Path(__file__).parent.parent / "crates/cli/demo/conversation.jsonl"


def vocabulary(rng):
    """Real words by falling frequency, then invented names."""
    counts = {}
    for line in DEMO.read_text(encoding="utf-8").splitlines():
        for word in re.findall(r"[a-z']+", json.loads(line)["text"].lower()):
            counts[word] = counts.get(word, 0) + 1
    words = sorted(counts, key=lambda word: (-counts[word], word))
    syllables = ["ba", "ko", "lin", "mar", "do", "vel", "san", "tor", "nia", "rek", "pol", "ush"]
    names = {"".join(rng.choices(syllables, k=3)).capitalize() for _ in range(3000)}
    return words + sorted(names)


def cues(rng, row, words, weights):
    """Questions that a turn might answer: some of its words in another order, and one of others."""
    said = row["text"].split()
    for _ in range(CUES_A_TURN):
        about = rng.sample(said, min(4, len(said))) + rng.choices(words, cum_weights=weights, k=1)
        yield f"When did {row['speaker']} say {' '.join(about)}?"


def is_long(i, share):
    """Whether the turn at a place is one of the share that is long."""
    return int((i + 1) * share) > int(i * share)


def main(n, history, questions, cue_file=None, long_share=0.0):
    rng, cue_rng, long_rng = random.Random(7), random.Random(8), random.Random(9)
    words = vocabulary(rng)
    weights = list(accumulate(1 / (rank + 10) for rank in range(len(words))))
    speakers = ["Maya", "Tomas", "Leena", "Gus"]
    with open(history, "w", encoding="utf-8") as out, open(cue_file or os.devnull, "w", encoding="utf-8") as asked:
        for i in range(n):
            session, turn = divmod(i, TURNS_A_SESSION)
            conversation, session = divmod(session, SESSIONS_A_CONVERSATION)
            text = " ".join(rng.choices(words, cum_weights=weights, k=rng.randint(4, 24)))
            if is_long(i, long_share):
                said = long_rng.choices(words, cum_weights=weights, k=long_rng.randint(200, 500))
                sentences = [said[at : at + WORDS_A_SENTENCE] for at in range(0, len(said), WORDS_A_SENTENCE)]
                text = " ".join(" ".join(sentence).capitalize() + "." for sentence in sentences)
            row = {
                "id": f"{session}:{turn}",
                "conversation": f"talk-{conversation}",
                "session": f"session-{session}",
                "speaker": speakers[(i + conversation) % len(speakers)],
                "text": text,
                "said_at": f"{2010 + conversation % 15}-{1 + session % 12:02}-{1 + turn:02}T10:00:00Z",
            }
            out.write(json.dumps(row) + "\n")
            if cue_file:
                line = {"id": row["id"], "conversation": row["conversation"]}
                asked.write(json.dumps(line | {"q": list(cues(cue_rng, row, words, weights))}) + "\n")
    with open(questions, "w", encoding="utf-8") as out:
        for _ in range(QUESTIONS):
            asked = " ".join(rng.choices(words, cum_weights=weights, k=6))
            out.write(f"When did {rng.choice(speakers)} say {asked}?\n")


if __name__ == "__main__":
    args = argparse.ArgumentParser()
    args.add_argument("turns", type=int)
    args.add_argument("history")
    args.add_argument("questions")
    args.add_argument("cues", nargs="?")
    args.add_argument("--long-share", type=float, default=0.0)
    args = args.parse_args()
    main(args.turns, args.history, args.questions, args.cues, args.long_share)
