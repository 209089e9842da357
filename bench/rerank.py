"""What reranking costs a question: the candidate ranker over 500 candidates, and the evidence reranker over ten pairs.

Usage: rerank.py AFORESAID LOCOMO10.json evidence|RERANKER.safetensors [ROUNDS]

The systems take turns; each answers all questions of one conversation in one process on one thread. Printed are medians over
the rounds of the means over the questions, of milliseconds that the answers themselves report.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile


def run(program, *arguments, text=None):
    done = subprocess.run([program, *arguments], input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join([program, *arguments])}: {done.stderr.strip()}")
    return done.stdout


def main():
    program, locomo, reranker = sys.argv[1:4]
    rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 5
    conversation = json.load(open(locomo))[0]
    questions = [qa["question"] for qa in conversation["qa"]][:100]
    named = reranker if reranker == "evidence" else os.path.abspath(reranker)
    systems = {
        "hybrid": ["--pipeline", "hybrid"],
        "hybrid with the candidate ranker": ["--pipeline", "learned"],
        "hybrid with the evidence reranker": ["--pipeline", "hybrid", "--rerank-depth", "10", "--rerank", named],
        "hybrid with the evidence reranker, to its own depth": ["--pipeline", "hybrid", "--rerank", named],
    }
    with tempfile.TemporaryDirectory() as folder:
        store, history = os.path.join(folder, "store.db"), os.path.join(folder, "locomo.json")
        json.dump([conversation], open(history, "w"))
        run(program, "--store", store, "import", history, "--format", "locomo")
        found = {name: [] for name in systems}
        for _ in range(rounds):
            for name, arguments in systems.items():
                answers = run(
                    program, "--store", store, "--threads", "1", "search", "--batch", "-", "--json", *arguments,
                    text="\n".join(questions) + "\n",
                ).splitlines()
                # The first question waits for the models.
                times = [json.loads(answer)["timing_ms"] for answer in answers[1:]]
                skipped = sum("rerank_skipped" in answer for answer in answers)
                if skipped:
                    sys.exit(f"{name}: {skipped} questions were not reranked")
                means = {key: statistics.mean(time.get(key) or 0 for time in times) for key in ("search", "rerank", "total")}
                found[name].append(means)
        print("| system | search ms | rerank ms | total ms |\n|---|---|---|---|")
        for name, times in found.items():
            cells = [f"{statistics.median(time[key] for time in times):.2f}" for key in ("search", "rerank", "total")]
            print(f"| {name} | {' | '.join(cells)} |")


main()
