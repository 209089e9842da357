"""Lets our encoder take turns with ONNX Runtime and sentence-transformers; prints medians as a table.

    encode.py [--rounds 5] [--threads 1,2] [--data FOLDER] [--work target/bench] [--only NAME,...]
              [--mask avx2|avxvnni] [--quick]

FOLDER holds locomo/locomo10.json: its turns are encoded and its questions asked.
Without it a made-up history takes their place. Every system holds the same
weights and does the whole work from text to unit vector. One computes at a time;
each round runs all of them, in an order that moves on by one.

--mask hides newer instructions from all systems (cpuid_mask.c), so that ONNX
Runtime takes the kernels that it has for AVX2, with or without AVX-VNNI. --quick
takes one text of ten and leaves sentence-transformers out: cosines are to ONNX
Runtime's f32 then.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
RELEASE = Path("target/release")
SLOW = 10  # sentence-transformers and kernels without AVX-512 take one text of ten
FAMILIES = ("amx", "avx512", "avxvnni", "avx2", "neon")
OWN = {"amx": ("bf16", "int8"), "avxvnni": ("int8",)}  # what they multiply by instructions of their own
TRUTH = ("sentence-transformers", "onnxruntime f32")
HIDDEN = {"avx2": ("amx", "avx512", "avxvnni"), "avxvnni": ("amx", "avx512"), "": ()}


class Worker:
    """A process that holds one system and answers a line of JSON to each command."""

    def __init__(self, name, command, environment):
        self.name = name
        command = [str(part) for part in command]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=os.environ | environment)

    def __call__(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.name} ended without an answer to {command!r}")
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def turns_and_questions(data):
    """Every turn as it is indexed, and every question, one line each."""
    turns, questions = [], []
    for sample in json.loads((data / "locomo/locomo10.json").read_text(encoding="utf-8")):
        for key, session in sample["conversation"].items():
            if isinstance(session, list):
                turns += [f"{turn['speaker']}: {turn['text']}" for turn in session]
        questions += [str(pair["question"]) for pair in sample["qa"]]
    return turns, questions


def made_up(work):
    history, questions = work / "6000.jsonl", work / "6000.questions"
    subprocess.run([sys.executable, HERE / "make_history.py", "6000", history, questions], check=True)
    rows = map(json.loads, history.read_text(encoding="utf-8").splitlines())
    return [f"{row['speaker']}: {row['text']}" for row in rows], questions.read_text(encoding="utf-8").splitlines()


def write(path, texts):
    path.write_text("".join(" ".join(text.split()) + "\n" for text in texts), encoding="utf-8")
    return path


def masking(mask, work):
    """The environment of a process that does not see what `mask` hides."""
    if not mask:
        return {}
    library = work.resolve() / "cpuid_mask.so"
    source = HERE / "cpuid_mask.c"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source], check=True)
    return {"CPUID_MASK": mask, "LD_PRELOAD": str(library)}


def systems(model, onnx, texts, few, questions, threads, mask):
    """Name, share of the texts it takes, command."""
    ours = lambda precision, family, texts: (
        [RELEASE / "examples/encode_bench", model, precision, family, threads, texts, questions]
    )
    peer = lambda kind, path: [sys.executable, HERE / "encode_peer.py", kind, path, threads, texts, questions]
    yield "onnxruntime f32", 1, peer("onnx", onnx / "f32.onnx")
    yield "onnxruntime int8", 1, peer("onnx", onnx / "int8.onnx")
    slow = [sys.executable, HERE / "encode_peer.py", "sentence-transformers", model, threads, few, questions]
    yield "sentence-transformers", SLOW, slow
    families = [family for family in FAMILIES if family in available() and family not in HIDDEN[mask]]
    for family in families:
        share, taken = (SLOW, few) if family in ("avxvnni", "avx2") else (1, texts)
        for precision in OWN.get(family, ("f32", "bf16", "int8")):
            yield f"aforesaid {precision} {family}", share, ours(precision, family, taken)
    # Without vector instructions of their own bf16 and int8 are slower than f32, and nobody's choice.
    yield "aforesaid f32 portable", SLOW, ours("f32", "portable", few)


def available():
    flags = Path("/proc/cpuinfo").read_text().split() if Path("/proc/cpuinfo").exists() else []
    names = [("amx", "amx_tile"), ("avx512", "avx512vl"), ("avxvnni", "avx_vnni"), ("avx2", "avx2"), ("neon", "asimd")]
    return [name for name, flag in names if flag in flags]


def measure(workers, rounds):
    """Seconds by name, a list of `rounds` each; peaks of ours in the same rounds."""
    seconds = {worker.name: [] for worker in workers}
    peaks = {worker.name: [] for worker in workers}
    for worker in workers:
        worker("ask")
    for turn in range(rounds):
        shift = turn % len(workers)
        for worker in workers[shift:] + workers[:shift]:
            seconds[worker.name].append(worker("encode"))
            if worker.name.startswith("aforesaid"):
                peaks[worker.name].append(worker("peak"))
        print(f"round {turn + 1} of {rounds}", file=sys.stderr)
    return seconds, peaks


def cosines(workers, work, count):
    """Mean cosine of each system's vectors to those of `TRUTH`'s first that is there, over the texts both took."""
    rows = {}
    for worker in workers:
        path = work / "vectors.f32"
        dim = worker(f"vectors {path}")
        rows[worker.name] = np.fromfile(path, "<f4").reshape(-1, dim)
    truth = next(rows[name] for name in TRUTH if name in rows)
    every = lambda found: found[::SLOW] if len(found) == count and len(truth) < count else found
    return {name: float((every(found) * truth).sum(1).mean()) for name, found in rows.items()}


def table(threads, shares, seconds, peaks, facts, asked, cosine):
    print(f"\n{threads} thread{'s' if threads > 1 else ''}\n")
    print("| system | texts/s | x ORT f32 | x ORT int8 | share of peak | question, CPU ms | memory, MB | cosine |")
    print("|---|---|---|---|---|---|---|---|")
    count = facts["onnxruntime f32"]["texts"]
    rate = {name: [count / share / s for s in seconds[name]] for name, share in shares.items()}
    against = lambda name, peer: statistics.median(a / b for a, b in zip(rate[name], rate[peer]))
    for name in shares:
        known = facts[name]
        share_of_peak = ""
        if peaks[name]:
            work = known["tokens"] / known["texts"] * known["multiply_adds_per_token"]
            parts = [r * work / (p * threads) for r, p in zip(rate[name], peaks[name])]
            share_of_peak = f"{statistics.median(parts):.0%}"
        print(
            f"| {name} | {statistics.median(rate[name]):.0f} | {against(name, 'onnxruntime f32'):.2f}"
            f" | {against(name, 'onnxruntime int8'):.2f} | {share_of_peak} | {asked.get(name, '')}"
            f" | {known['peak_memory_kb'] / 1024:.0f} | {cosine[name]:.4f} |"
        )


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--rounds", type=int, default=5)
    args.add_argument("--threads", default="1,2")
    args.add_argument("--data", type=Path)
    args.add_argument("--work", type=Path, default=Path("target/bench"))
    args.add_argument("--only", default="")
    args.add_argument("--mask", default="", choices=["avx2", "avxvnni"])
    args.add_argument("--quick", action="store_true")
    args = args.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    pull = [RELEASE / "aforesaid", "--model-cache", args.work / "models", "models", "pull", "--json"]
    pulled = json.loads(subprocess.run(pull, check=True, stdout=subprocess.PIPE, text=True).stdout)
    model, onnx = args.work / "model", args.work / "onnx"
    subprocess.run([sys.executable, HERE / "encode_peer.py", "export", pulled["directory"], model, onnx], check=True)
    turns, questions = turns_and_questions(args.data) if args.data else made_up(args.work)
    if args.quick:
        turns = turns[::SLOW]
    texts, few = write(args.work / "encode.texts", turns), write(args.work / "encode.few", turns if args.quick else turns[::SLOW])
    asked_texts = write(args.work / "encode.questions", questions[:400])
    environment = masking(args.mask, args.work)
    for threads in map(int, args.threads.split(",")):
        wanted = [part for part in args.only.split(",") if part]
        rows = [
            (name, 1 if args.quick else share, command)
            for name, share, command in systems(model, onnx, texts, few, asked_texts, threads, args.mask)
            if not (args.quick and name == "sentence-transformers")
            and (not wanted or not name.startswith("aforesaid") or any(part in name for part in wanted))
        ]
        workers = [Worker(name, command, environment) for name, _, command in rows]
        seconds, peaks = measure(workers, args.rounds)
        asked = {}
        for worker in workers:
            asked[worker.name] = f"{statistics.median(worker('ask') for _ in range(5)):.2f}"
        facts = {worker.name: worker("facts") for worker in workers}
        cosine = cosines(workers, args.work, len(turns))
        table(threads, {name: share for name, share, _ in rows}, seconds, peaks, facts, asked, cosine)
        for worker in workers:
            worker.close()


if __name__ == "__main__":
    main()
