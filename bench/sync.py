"""Writes logs of Claude Code for a made-up project, day by day, has them read, and asks what a developer would ask.

A session has ROUNDS rounds of a prompt, an answer, a tool call with its result, and a closing answer: four turns each.
Twenty rounds of the first day hold a decision that a question is about; the place of its answer among the hits is printed.
"""

import datetime
import json
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

from decisions import DECISIONS

NAMESPACE = "forge.example/ann/kites"

VERBS = "fix add remove rename document test profile split merge inline cache index trace mock".split()
NOUNS = "parser router handler schema migration widget client worker buffer queue token limiter mapper loader encoder".split()
PLACES = "checkout billing search login profile import export gallery editor calendar report inbox admin".split()


def log(path, cwd, session, day, rounds, rng, decisions):
    lines = []
    for number in range(rounds):
        verb, noun, place = rng.choice(VERBS), rng.choice(NOUNS), rng.choice(PLACES)
        key = f"{session}-{number}"
        stamp = f"{day}T{8 + number // 8:02}:{number % 8 * 7:02}:00.000Z"
        base = {"sessionId": session, "cwd": cwd, "gitBranch": "main", "isSidechain": False, "timestamp": stamp}
        said = f"I will {verb} the {noun} of the {place} page and keep its interface."
        closing = f"The {noun} of {place} is done; {rng.randint(2, 90)} tests pass."
        if number in decisions:
            closing = DECISIONS[decisions[number]][0]
        call = {"type": "tool_use", "id": f"t{key}", "name": "Bash", "input": {"command": f"cargo test {noun}_{place}"}}
        reply = lambda mid, block: {"role": "assistant", "id": mid, "model": "m", "content": [block]}
        result = [{"type": "tool_result", "tool_use_id": f"t{key}", "content": "ok. 12 passed", "is_error": False}]
        lines += [
            {**base, "type": "user", "uuid": f"u{key}", "message": {"role": "user", "content": f"Please {verb} the {noun} in {place}."}},
            {**base, "type": "assistant", "uuid": f"a{key}", "message": reply(f"m{key}", {"type": "text", "text": said})},
            {**base, "type": "assistant", "uuid": f"b{key}", "message": reply(f"m{key}", call)},
            {**base, "type": "user", "uuid": f"r{key}", "message": {"role": "user", "content": result}},
            {**base, "type": "assistant", "uuid": f"c{key}", "message": reply(f"n{key}", {"type": "text", "text": closing})},
        ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return len(lines)


def main(program, work, sessions, rounds, days):
    work, program = Path(work).resolve(), str(Path(program).resolve())
    shutil.rmtree(work, ignore_errors=True)
    project = work / "kites"
    for part in ("objects", "refs"):
        (project / ".git" / part).mkdir(parents=True)
    # The folder may lie in a repository: the project has one of its own.
    (project / ".git" / "config").write_text(f'[remote "origin"]\n\turl = https://{NAMESPACE}.git\n')
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    logs = work / ".claude" / "projects" / "-kites"
    logs.mkdir(parents=True)
    store = work / "memory.db"
    env = {key: value for key, value in os.environ.items() if key == "PATH" or key.startswith("AFORESAID_")}
    # The encoder is where the caller keeps it.
    cache = os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))
    env.update(HOME=str(work), AFORESAID_STORE=str(store), XDG_CACHE_HOME=cache)

    def run(*command):
        start = time.perf_counter()
        done = subprocess.run([program, *command, "--json"], env=env, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(done.stderr)
        return json.loads(done.stdout), (time.perf_counter() - start)

    def write(day):
        for number in range(sessions):
            decisions = {rounds // 2: places.index(number)} if day == 0 and number in places else {}
            session = f"d{day:03}s{number:05}"
            date = (datetime.date(2026, 1, 1) + datetime.timedelta(days=day)).isoformat()
            log(logs / f"{session}.jsonl", str(project), session, date, rounds, rng, decisions)

    def ask():
        ranks = []
        for said, question in DECISIONS:
            found, _ = run("search", question, "--namespace", NAMESPACE, "-k", "20")
            ranks.append(next((rank for rank, hit in enumerate(found["hits"], 1) if hit["text"] == said), None))
        print("20 questions, rank of the answer:", " ".join("-" if rank is None else str(rank) for rank in ranks))
        among = lambda most: sum(rank is not None and rank <= most for rank in ranks)
        print(f"first: {among(1)}, among three: {among(3)}, among twenty: {among(20)}", flush=True)

    added = lambda report: sum(project["added"] for project in report["projects"].values())
    size = lambda: sum(file.stat().st_size for file in work.glob("memory.db*") if file.is_file()) / 1e6
    of_logs = lambda: sum(file.stat().st_size for file in logs.iterdir()) / 1e6
    rng = random.Random(18)
    places = rng.sample(range(sessions), len(DECISIONS))
    write(0)
    run("models", "pull")
    report, took = run("sync")
    turns = added(report)
    print(f"a day: {turns} turns of {sessions} sessions, {of_logs():.1f} MB of logs: {took:.2f} s, store {size():.1f} MB")
    _, took = run("sync")
    print(f"again, nothing new: {took * 1000:.0f} ms")
    log(logs / "s99999.jsonl", str(project), "s99999", "2026-12-30", 1, rng, {})
    _, took = run("sync")
    print(f"again, one new session of a round: {took * 1000:.0f} ms")
    ask()
    for day in range(1, days):
        write(day)
        report, took = run("sync")
        turns += added(report)
        if day % 10 == 9 or day == days - 1:
            print(f"day {day + 1}: {turns} turns, {of_logs():.1f} MB of logs: {took:.2f} s for the day, store {size():.1f} MB", flush=True)
    if days > 1:
        _, took = run("sync")
        print(f"again, nothing new: {took * 1000:.0f} ms")
        ask()


main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6]))
