"""Medians of `bench/revisions`: lines `STORE/PIPELINE BUILD {...}` on standard input."""

import json
import statistics
import sys
from collections import defaultdict

rounds = defaultdict(lambda: {"other": [], "this": []})
for line in sys.stdin:
    searched, build, figures = line.split(" ", 2)
    rounds[searched][build].append(json.loads(figures))

print("| searched | figure | other | this | ratio |\n|---|---|---|---|---|")
for searched, builds in rounds.items():
    for key in ("search_p50", "search_p95"):
        other, this = ([figures[key] for figures in builds[build]] for build in ("other", "this"))
        ratio = statistics.median(b / a for a, b in zip(other, this))
        print(f"| {searched} | {key} | {statistics.median(other):.2f} | {statistics.median(this):.2f} | {ratio:.2f} |")
