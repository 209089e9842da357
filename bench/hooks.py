"""Times the hooks of one program on a project with a long history, warm and, if asked, with an empty page cache; prints percentiles.

    hooks.py PROGRAM FOLDER RUNS [cold] [models] ['NAME:EVENT=COMMAND'...]

With `models` the history has vectors by the default model, which must be on this machine, and prompts are searched with it and
the reranker, in turns with keywords alone; else there are keywords alone. `cold` empties the page cache of the whole machine
before each run, which needs root. A peer's hook is a command for the shell; it gets the same events on standard input, in the same home, and takes turns with ours. It keeps no history of ours.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from decisions import DECISIONS

NAMESPACE = "forge.example/ann/kites"
SESSION = "0b8f5c1e-9a43-4a0e-8a53-5d8f6b2c7e10"


def flushing():
    """Whether a process that reads the log is at work."""
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "cmdline").read_bytes().split(b"\0")[1:3] == [b"hook", b"flush"]:
                return True
        except OSError:
            pass
    return False


def main(program, work, runs, options, peers):
    work = Path(work).resolve()
    home = work / "home"
    shutil.rmtree(home, ignore_errors=True)
    project = home / "kites"
    for part in ("objects", "refs"):
        (project / ".git" / part).mkdir(parents=True)
    # The folder may lie in a repository: the project has one of its own.
    (project / ".git" / "config").write_text(f'[remote "origin"]\n\turl = https://{NAMESPACE}.git\n')
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    log = home / ".claude" / "projects" / "-kites" / f"{SESSION}.jsonl"
    log.parent.mkdir(parents=True)
    keywords = {"PATH": os.environ["PATH"], "HOME": str(home), "AFORESAID_STORE": str(home / "keywords.db"), "AFORESAID_MODEL": "none"}
    env = keywords
    if "models" in options:
        cache = os.environ.get("AFORESAID_MODEL_CACHE", str(Path.home() / ".cache/aforesaid/models"))
        env = {"PATH": env["PATH"], "HOME": env["HOME"], "AFORESAID_STORE": str(home / "memory.db"), "AFORESAID_MODEL_CACHE": cache}
    program = str(Path(program).resolve())
    decided = work / "decisions.jsonl"
    turns = [{"conversation": "decisions", "id": f"d{n}", "speaker": "assistant", "text": said} for n, (said, _) in enumerate(DECISIONS)]
    decided.write_text("".join(json.dumps(turn) + "\n" for turn in turns))
    for store in [env, keywords] if "models" in options else [env]:
        for file in (work / "history.jsonl", decided):
            subprocess.run([program, "import", str(file), "--namespace", NAMESPACE], env=store, capture_output=True, check=True)
    log.write_text("")
    made_up = [line for line in (work / "questions").read_text().splitlines() if line.strip()]
    questions = [question for pair in zip(made_up, 10 * [question for _, question in DECISIONS]) for question in pair]

    def hook(command, event, number, env):
        fields = {"session_id": SESSION, "transcript_path": str(log), "cwd": str(project), "hook_event_name": event}
        if event == "UserPromptSubmit":
            fields["prompt"] = questions[number % len(questions)]
        start = time.perf_counter()
        done = subprocess.run(command, env=env, input=json.dumps(fields).encode(), capture_output=True)
        taken = (time.perf_counter() - start) * 1000
        return taken, len(done.stdout) if done.returncode == 0 else None

    def turn(number):
        line = {"type": "user", "uuid": f"u{number}", "sessionId": SESSION, "cwd": str(project), "message": {"content": f"Turn {number}."}}
        with log.open("a") as out:
            out.write(json.dumps(line) + "\n")

    def settle():
        """Waits for the process that reads the log: an agent's next event comes seconds later."""
        while flushing():
            time.sleep(0.02)

    def cold():
        try:
            os.sync()
            Path("/proc/sys/vm/drop_caches").write_text("3")
            return True
        except OSError:
            return False

    systems = [("aforesaid", event, [program, "hook", event], env) for event in ("Stop", "UserPromptSubmit", "SessionStart")]
    if "models" in options:
        systems.insert(2, ("aforesaid, keywords alone", "UserPromptSubmit", systems[1][2], keywords))
    for peer in peers:
        named, command = peer.split("=", 1)
        name, event = named.split(":")
        systems.append((name, event, ["sh", "-c", f"exec {command}"], env))
    print("| hook | of | page cache | median, ms | p95, ms | runs | with something handed over |\n|---|---|---|---|---|---|---|")
    for state in ["warm", "cold"] if "cold" in options else ["warm"]:
        times = {system[:2]: [] for system in systems}
        answers = {system[:2]: 0 for system in systems}
        for number in range(runs):
            for name, event, command, env in systems:
                if state == "cold" and not cold():
                    raise SystemExit("the page cache cannot be emptied: not root")
                if event == "Stop":
                    turn(number)
                taken, said = hook(command, event, number, env)
                if said is None:
                    raise SystemExit(f"{name}'s hook for {event} failed")
                settle()
                if number > 0 or state == "cold":
                    times[name, event].append(taken)
                    answers[name, event] += said > 100
        for (name, event), taken in times.items():
            taken.sort()
            print(f"| {event} | {name} | {state} | {taken[len(taken) // 2]:.1f} | {taken[round(0.95 * (len(taken) - 1))]:.1f} | {len(taken)} | {answers[name, event]} |", flush=True)


OPTIONS = ("cold", "models")
main(sys.argv[1], sys.argv[2], int(sys.argv[3]), [a for a in sys.argv[4:] if a in OPTIONS], [a for a in sys.argv[4:] if a not in OPTIONS])
