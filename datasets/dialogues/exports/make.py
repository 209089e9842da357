#!/usr/bin/env python3
"""Renders assistant dialogues as the data exports of ChatGPT and Claude: `python3 make.py` writes the archives here.

`contents.json` beside them says what a reader should find in each.
The archives hold the same bytes on every run with the same zlib. `python3 make.py --check` writes nothing and compares
the contents of the archives that are here with what would be written.
"""

import json
import sys
import zipfile
from pathlib import Path

import chatgpt
import claude
import extras
from shapes import hexes, ident, sessions

HERE = Path(__file__).resolve().parent
PACKED = (2026, 6, 1, 12, 0, 0)
# A vendor's pieces hold about a hundred conversations; ours are small, so that there are several.
PIECE = 12


def project(name, members):
    """The id of a ChatGPT project, for the sessions in it."""
    return lambda session: "g-p-" + hexes(32, name) if session in members else None


def assistant(name, members):
    """The id of a custom GPT, for the sessions with it."""
    return lambda session: "g-" + hexes(9, name) if session in members else None


def recent(name, operations, **more):
    """An export of 2026: numbered pieces, a manifest, files of newer features."""
    chats, assets = chatgpt.conversation(name, operations, chatgpt.RECENT, **more)
    pieces = {
        f"conversations-{number:03}.json": chats[start : start + PIECE]
        for number, start in enumerate(range(0, len(chats), PIECE))
    }
    files = {**pieces, "chat.html": chatgpt.page(chats), **chatgpt.beside(name, chats, chatgpt.RECENT), **assets}
    return {**files, "export_manifest.json": {"files": sorted(files)}}


def older(name, operations):
    """An export of 2024: one conversations.json."""
    chats, assets = chatgpt.conversation(name, operations, chatgpt.OLDER)
    return {
        "conversations.json": chats,
        "chat.html": chatgpt.page(chats),
        **chatgpt.beside(name, chats, chatgpt.OLDER),
        **assets,
    }


def archives():
    """The files of each archive, by name."""
    return {
        "chatgpt-nurse.zip": recent(
            "nurse", extras.NURSE, gizmo=project(*extras.NURSE_PROJECT), spoken=extras.NURSE_SPOKEN
        ),
        "chatgpt-retired-engineer.zip": recent(
            "retired-engineer", extras.RETIRED_ENGINEER, gizmo=assistant(*extras.RETIRED_ENGINEER_GPT)
        ),
        "chatgpt-bakery-owner.zip": older("bakery-owner", extras.BAKERY_OWNER),
        "claude-move-abroad.zip": claude.archive("move-abroad", extras.MOVE_ABROAD),
        "claude-consultant.zip": claude.archive("consultant", extras.CONSULTANT, extras.CONSULTANT_PROJECT),
    }


def contents(name, operations):
    """What a reader of an archive should find, and what it should not."""
    by_session = sessions(name)
    turns = {turn["id"]: turn for session in by_session.values() for turn in session}
    found = {
        "dialogue": name,
        "chats": len(by_session),
        "turns": len(turns),
        "documents": {},
        "attachments": [],
        "other_branches": [],
    }
    for at, kind, *rest in sorted(operations, key=lambda entry: turns[entry[0]]["at"]):
        documents = found["documents"]
        if kind == "canvas":
            title, _, text = rest
            documents[title] = {"id": title, "text": text}
        elif kind == "canvas_update":
            title, old, new = rest
            documents[title]["text"] = documents[title]["text"].replace(old, new)
        elif kind == "artifact":
            key, _, title, text = rest
            documents[key] = {"id": key, "title": title, "text": text}
        elif kind == "artifact_update":
            key, old, new = rest
            documents[key]["text"] = documents[key]["text"].replace(old, new)
        elif kind == "artifact_rewrite":
            documents[rest[0]]["text"] = rest[1]
        elif kind in ("paste", "file"):
            found["attachments"].append({"message": ident(name, at), "file_name": rest[0], "text": rest[-1]})
        elif kind in ("image", "photo"):
            found["attachments"].append({"message": ident(name, at), "file_name": rest[0], "text": None})
        elif kind in ("edited", "regenerated"):
            found["other_branches"] += rest
    return {**found, "documents": list(found["documents"].values())}


def all_contents():
    """`contents.json`: the contents of each archive, by name."""
    return {
        "chatgpt-nurse.zip": contents("nurse", extras.NURSE),
        "chatgpt-retired-engineer.zip": contents("retired-engineer", extras.RETIRED_ENGINEER),
        "chatgpt-bakery-owner.zip": contents("bakery-owner", extras.BAKERY_OWNER),
        "claude-move-abroad.zip": contents("move-abroad", extras.MOVE_ABROAD),
        "claude-consultant.zip": contents("consultant", extras.CONSULTANT),
    }


def bytes_of(content):
    if isinstance(content, bytes):
        return content
    return (content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)).encode()


def pack(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, PACKED)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, bytes_of(content))


def main():
    for name, files in archives().items():
        path = HERE / name
        if "--check" not in sys.argv[1:]:
            pack(path, files)
            print(f"{name}: {len(files)} files, {path.stat().st_size} bytes")
            continue
        with zipfile.ZipFile(path) as archive:
            there = {entry: archive.read(entry) for entry in archive.namelist()}
        if there != {entry: bytes_of(content) for entry, content in files.items()}:
            raise SystemExit(f"{name}: not what make.py writes; run it without --check")
    written = json.dumps(all_contents(), ensure_ascii=False, indent=1) + "\n"
    if "--check" not in sys.argv[1:]:
        (HERE / "contents.json").write_text(written, encoding="utf-8")
    elif (HERE / "contents.json").read_text(encoding="utf-8") != written:
        raise SystemExit("contents.json: not what make.py writes; run it without --check")


if __name__ == "__main__":
    main()
