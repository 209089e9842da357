"""Medians of `bench/cues`: lines `with {...}` and `without {...}` on standard input."""

import json
import statistics
import sys

rounds = {"with": [], "without": []}
for line in sys.stdin:
    side, figures = line.split(" ", 1)
    rounds[side].append(json.loads(figures))

print("| figure | without cues | with cues | ratio |\n|---|---|---|---|")
for key in rounds["with"][0]:
    mine, other = ([round[key] for round in rounds[side]] for side in ("with", "without"))
    ratio = statistics.median(a / b for a, b in zip(mine, other))
    print(f"| {key} | {statistics.median(other):.2f} | {statistics.median(mine):.2f} | {ratio:.2f} |")
