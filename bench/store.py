"""Times whole commands of two builds in turns, each on a store of its own with the same turns, and prints medians."""

import statistics
import subprocess
import sys
import time
from pathlib import Path

STEPS = ["add", "search", "forget", "search after it", "search again", "export", "list speakers"]


def timed(program, store, *command):
    start = time.perf_counter()
    done = subprocess.run([program, "--store", store, "--model", "none", *command], capture_output=True, text=True)
    took = (time.perf_counter() - start) * 1000
    if done.returncode != 0:
        raise SystemExit(f"{program} {' '.join(command)}: {done.stderr}")
    return took


def steps(program, store, number):
    """One round on one store; the turns that are forgotten lie in the middle of it."""
    search = ["search", f"what did Maya say about round {number}"]
    return {
        "add": timed(program, store, "add", f"a note on round {number}", "--id", f"new{number}"),
        "search": timed(program, store, *search),
        "forget": timed(program, store, "forget", f"7:{number}", "-c", "talk-3", "--yes"),
        "search after it": timed(program, store, *search),
        "search again": timed(program, store, *search),
        "export": timed(program, store, "export", "-c", "talk-3"),
        "list speakers": timed(program, store, "list", "speakers"),
    }


def main(other, ours, work, rounds):
    sides = {"other": other, "this": ours}
    stores = {side: str(Path(work) / f"store-{side}.db") for side in sides}
    history = str(Path(work) / "store.jsonl")
    for side, program in sides.items():
        for file in Path(work).glob(f"store-{side}.db*"):
            file.unlink()
        print(f"import, {side}: {timed(program, stores[side], 'import', history):.0f} ms")
    times = {side: {step: [] for step in STEPS} for side in sides}
    for number in range(rounds):
        for side, program in sides.items():
            for step, took in steps(program, stores[side], number).items():
                times[side][step].append(took)
    print("| command | other build, ms | this build, ms | ratio |\n|---|---|---|---|")
    for step in STEPS:
        theirs, mine = times["other"][step], times["this"][step]
        ratio = statistics.median(a / b for a, b in zip(mine, theirs))
        print(f"| {step} | {statistics.median(theirs):.0f} | {statistics.median(mine):.0f} | {ratio:.2f} |")


main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
