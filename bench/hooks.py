"""Times the hooks of one program on a project with a long history, warm and, if asked, with an empty page cache; prints percentiles.

    hooks.py PROGRAM FOLDER RUNS [cold]

`cold` empties the page cache of the whole machine before each run, which needs root.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

SESSION = "0b8f5c1e-9a43-4a0e-8a53-5d8f6b2c7e10"


def main(program, work, runs, states):
    work = Path(work).resolve()
    home = work / "home"
    shutil.rmtree(home, ignore_errors=True)
    project = home / "kites"
    project.mkdir(parents=True)
    log = home / ".claude" / "projects" / "-kites" / f"{SESSION}.jsonl"
    log.parent.mkdir(parents=True)
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "AFORESAID_STORE": str(home / "memory.db"), "AFORESAID_MODEL": "none"}
    program = str(Path(program).resolve())
    run = lambda *command, given=None: subprocess.run([program, *command], env=env, input=given, capture_output=True, check=True)
    run("import", str(work / "history.jsonl"), "--namespace", str(project))
    log.write_text("")
    questions = [line for line in (work / "questions").read_text().splitlines() if line.strip()]

    def hook(event, number):
        fields = {"session_id": SESSION, "transcript_path": str(log), "cwd": str(project), "hook_event_name": event}
        if event == "UserPromptSubmit":
            fields["prompt"] = questions[number % len(questions)]
            fields.pop("transcript_path")
        given = json.dumps(fields).encode()
        start = time.perf_counter()
        run("hook", event, given=given)
        return (time.perf_counter() - start) * 1000

    def turn(number):
        line = {"type": "user", "uuid": f"u{number}", "sessionId": SESSION, "cwd": str(project), "message": {"content": f"Turn {number}."}}
        with log.open("a") as out:
            out.write(json.dumps(line) + "\n")

    def cold():
        try:
            os.sync()
            Path("/proc/sys/vm/drop_caches").write_text("3")
            return True
        except OSError:
            return False

    print("| hook | page cache | median, ms | p95, ms | runs |\n|---|---|---|---|---|")
    for event in ("Stop", "UserPromptSubmit", "SessionStart"):
        for state in states:
            times, count = [], runs if state == "warm" else max(10, runs // 10)
            if state == "warm":
                hook(event, 0)
            for number in range(count):
                if state == "cold" and not cold():
                    break
                if event == "Stop":
                    turn(number)
                times.append(hook(event, number))
            if times:
                times.sort()
                rank = min(len(times) - 1, round(0.95 * (len(times) - 1)))
                print(f"| {event} | {state} | {times[len(times) // 2]:.1f} | {times[rank]:.1f} | {len(times)} |", flush=True)


main(sys.argv[1], sys.argv[2], int(sys.argv[3]), ["warm", *sys.argv[4:]])
