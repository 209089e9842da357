"""Writes a made-up history of N turns as JSON lines, and questions about it.

    make_history.py N HISTORY QUESTIONS [CUES]

CUES, if named, gets three cue questions a turn, made of its words and others. Words follow Zipf's law over the vocabulary of the demo conversation and made-up
names, so that postings are as uneven as in real talk. The same N gives the same file.
"""

import json
import os
import random
import re
import sys
from itertools import accumulate
from pathlib import Path

TURNS_A_SESSION = 20
SESSIONS_A_CONVERSATION = 25
QUESTIONS = 200
CUES_A_TURN = 3
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


def main(n, history, questions, cue_file=None):
    rng, cue_rng = random.Random(7), random.Random(8)
    words = vocabulary(rng)
    weights = list(accumulate(1 / (rank + 10) for rank in range(len(words))))
    speakers = ["Maya", "Tomas", "Leena", "Gus"]
    with open(history, "w", encoding="utf-8") as out, open(cue_file or os.devnull, "w", encoding="utf-8") as asked:
        for i in range(n):
            session, turn = divmod(i, TURNS_A_SESSION)
            conversation, session = divmod(session, SESSIONS_A_CONVERSATION)
            text = " ".join(rng.choices(words, cum_weights=weights, k=rng.randint(4, 24)))
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
    main(int(sys.argv[1]), *sys.argv[2:5])
