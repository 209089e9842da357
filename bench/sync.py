"""Writes logs of Claude Code for a made-up project, has them read, and asks what a developer would ask.

A session has ROUNDS rounds of a prompt, an answer, a tool call with its result, and a closing answer: four turns each.
Twenty of the rounds hold a decision that a question is about; the place of its answer among the hits is printed.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

# What was decided, and how somebody asks for it later in other words.
DECISIONS = [
    ("We keep timestamps in milliseconds since 1970, never in seconds.", "which unit do timestamps have?"),
    ("The retry limit for the payment gateway is five attempts with jitter.", "how often do we retry payments?"),
    ("Postgres runs on port 5544 locally because 5432 is taken by the old cluster.", "which port does the local database use?"),
    ("The flaky login test failed since the clock was mocked twice.", "why was the login test flaky?"),
    ("We dropped Redis in favour of an in-process LRU cache.", "why is there no Redis any more?"),
    ("Feature flags live in flags.toml and are reloaded on SIGHUP.", "where do feature flags live?"),
    ("The memory leak came from the websocket map that was never pruned.", "what caused the memory leak?"),
    ("Release branches are cut on Tuesdays, after the smoke test.", "when are release branches cut?"),
    ("CSV export must quote every field, since Excel guesses otherwise.", "how are fields quoted in the CSV export?"),
    ("The image resizer uses Lanczos, bicubic left halos on logos.", "which filter does the image resizer use?"),
    ("Invoices are numbered per tenant and year, starting at 1000.", "how are invoices numbered?"),
    ("The nightly job moved to 02:40 so that it does not meet the backup.", "when does the nightly job run?"),
    ("Search results are capped at 500 because the ranking was quadratic.", "why are search results capped?"),
    ("The iOS build needs Xcode 26.1, older ones crash in the linker.", "which Xcode does the iOS build need?"),
    ("Session cookies are SameSite=Lax, Strict broke the login from mail.", "why are session cookies not Strict?"),
    ("The staging secrets are in the vault under kv/staging/kites.", "where are the staging credentials kept?"),
    ("We pin tokio to 1.54 until the timer regression is fixed.", "why is tokio pinned?"),
    ("The GraphQL gateway limits query depth to eight.", "how deep may a GraphQL query be?"),
    ("Audit rows are kept for seven years, by law.", "how long do we keep audit rows?"),
    ("The Windows installer is signed in the release job only.", "where is the Windows installer signed?"),
]
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


def main(program, work, sessions, rounds):
    work, program = Path(work).resolve(), str(Path(program).resolve())
    shutil.rmtree(work, ignore_errors=True)
    project = work / "kites"
    project.mkdir(parents=True)
    logs = work / ".claude" / "projects" / "-kites"
    logs.mkdir(parents=True)
    store = work / "memory.db"
    env = {key: value for key, value in os.environ.items() if key == "PATH" or key.startswith("AFORESAID_")}
    env.update(HOME=str(work), AFORESAID_STORE=str(store))

    def run(*command):
        start = time.perf_counter()
        done = subprocess.run([program, *command, "--json"], env=env, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(done.stderr)
        return json.loads(done.stdout), (time.perf_counter() - start)

    rng = random.Random(18)
    places = rng.sample(range(sessions), len(DECISIONS))
    for number in range(sessions):
        decisions = {rounds // 2: places.index(number)} if number in places else {}
        day = f"2026-{1 + number // 28 % 12:02}-{1 + number % 28:02}"
        log(logs / f"s{number:05}.jsonl", str(project), f"s{number:05}", day, rounds, rng, decisions)
    size = lambda: sum(file.stat().st_size for file in work.glob("memory.db*") if file.is_file()) / 1e6
    bytes_of_logs = sum(file.stat().st_size for file in logs.iterdir()) / 1e6
    report, took = run("sync")
    added = sum(project["added"] for project in report["projects"].values())
    print(f"first sync: {added} turns of {sessions} sessions, {bytes_of_logs:.1f} MB of logs: {took:.2f} s, store {size():.1f} MB")
    _, took = run("sync")
    print(f"again, nothing new: {took * 1000:.0f} ms")
    log(logs / "s99999.jsonl", str(project), "s99999", "2026-12-30", 1, rng, {})
    _, took = run("sync")
    print(f"again, one new session of a round: {took * 1000:.0f} ms")
    ranks = []
    for place, (said, question) in enumerate(DECISIONS):
        found, _ = run("search", question, "--namespace", str(project), "-k", "20")
        rank = next((rank for rank, hit in enumerate(found["hits"], 1) if hit["text"] == said), None)
        ranks.append(rank)
    print("20 questions, rank of the answer:", " ".join("-" if rank is None else str(rank) for rank in ranks))
    first = sum(rank == 1 for rank in ranks)
    print(f"first: {first}, among three: {sum(rank is not None and rank <= 3 for rank in ranks)}")


main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
