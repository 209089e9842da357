"""Interleaves aforesaid and sentence-transformers, and prints medians and ratios.

    search.py [--rounds 5] [--sizes 10000,100000] [--work target/bench]
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

from layout import lay_out

HERE = Path(__file__).parent
RELEASE = Path("target/release")


def run(*command):
    done = subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


def peer(*args):
    return json.loads(run(sys.executable, HERE / "peer.py", *args))


def interleave(rounds, ours, theirs):
    """Medians of both sides and of the ratio ours/theirs, figure by figure."""
    pairs = [(ours(), theirs()) for _ in range(rounds)]
    result = {}
    for key in pairs[0][1]:
        mine, other = [a[key] for a, _ in pairs], [b[key] for _, b in pairs]
        ratios = [a / b for a, b in zip(mine, other)]
        result[key] = tuple(statistics.median(x) for x in (mine, other, ratios))
    return result


def show(title, figures):
    print(f"\n{title}\n\n| figure | aforesaid | sentence-transformers | ratio |\n|---|---|---|---|")
    for key, (mine, other, ratio) in figures.items():
        print(f"| {key} | {mine:.2f} | {other:.2f} | {ratio:.2f} |")


def prepare(work, size, cache):
    """A store of `size` made-up turns, kept between runs."""
    history, questions, store = work / f"{size}.jsonl", work / f"{size}.questions", work / f"{size}.db"
    run(sys.executable, HERE / "make_history.py", size, history, questions)
    start = time.perf_counter()
    run(RELEASE / "aforesaid", "--store", store, "--model-cache", cache, "-n", "bench", "import", history)
    print(f"import of {size} turns: {time.perf_counter() - start:.1f} s (0 or so when it was there already)")
    return questions, store


def one_shot(store, cache, questions, rounds):
    """Milliseconds from process start to printed answer."""
    times = []
    for question in questions.read_text().splitlines()[: max(20, rounds)]:
        start = time.perf_counter()
        run(RELEASE / "aforesaid", "--store", store, "--model-cache", cache, "-n", "bench", "search", question, "--json")
        times.append((time.perf_counter() - start) * 1000)
    times.sort()
    return statistics.median(times), times[int(len(times) * 0.95)]


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--rounds", type=int, default=5)
    args.add_argument("--sizes", default="10000,100000")
    args.add_argument("--work", type=Path, default=Path("target/bench"))
    args = args.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    cache = args.work / "models"
    pulled = json.loads(run(RELEASE / "aforesaid", "--model-cache", cache, "models", "pull", "--json"))
    model = args.work / "model"
    lay_out(pulled["directory"], model)

    sizes = [int(size) for size in args.sizes.split(",")]
    stores = {size: prepare(args.work, size, cache) for size in sizes}

    compare_search(args, stores, model, cache)


def compare_search(args, stores, model, cache):
    for size, (questions, store) in stores.items():
        for preset in ("learned", "hybrid", "lexical"):
            figures = interleave(
                args.rounds,
                lambda: json.loads(run(RELEASE / "examples/search_bench", store, "bench", questions, cache, preset)),
                lambda: peer(model, store, questions),
            )
            show(f"Searching {size} turns, preset {preset}", figures)
        p50, p95 = one_shot(store, cache, questions, args.rounds)
        print(f"\nOne-shot `aforesaid search` at {size} turns: p50 {p50:.0f} ms, p95 {p95:.0f} ms to the printed answer")


if __name__ == "__main__":
    main()
