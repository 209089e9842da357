"""What both renderers need: turns by session, fixed ids, times, a small picture."""

import hashlib
import json
import struct
import uuid
import zlib
from datetime import datetime, timedelta, timezone
from pathlib import Path

DIALOGUES = Path(__file__).resolve().parent.parent
NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://github.com/aforesaid/aforesaid/datasets/dialogues")


def ident(*parts):
    """The same uuid for the same parts. A message has that of "<conversation>/<turn>"."""
    return str(uuid.uuid5(NAMESPACE, "/".join(parts)))


def hexes(length, *parts):
    """Hex digits that look like the vendor's other ids."""
    return hashlib.sha256("/".join(parts).encode()).hexdigest()[:length]


def sessions(name):
    """The turns of a conversation by session, each with the moment it was sent."""
    by_session = {}
    last = datetime(1970, 1, 1, tzinfo=timezone.utc)
    with open(DIALOGUES / f"{name}.jsonl", encoding="utf-8") as lines:
        for turn in map(json.loads, lines):
            said = datetime.fromisoformat(turn["said_at"]).replace(tzinfo=timezone.utc)
            # Dialogues are written to the minute, messages to the microsecond.
            at = max(said + timedelta(seconds=4), last + timedelta(seconds=7))
            at = at.replace(microsecond=int(hexes(5, name, turn["id"]), 16) % 1_000_000)
            last = turn["at"] = at
            by_session.setdefault(turn["session"], []).append(turn)
    return by_session


def extras_of(extras, turn):
    """The operations on a turn, without its id."""
    return [entry[1:] for entry in extras if entry[0] == turn["id"]]


def shown(extras, name):
    """Refuses extras that name no turn, so that a renumbered dialogue is noticed."""
    turns = {turn["id"] for session in sessions(name).values() for turn in session}
    lost = [entry[:2] for entry in extras if entry[0] not in turns]
    if lost:
        raise SystemExit(f"{name}: extras on turns that are not there: {lost}")


def picture(seed):
    """A PNG of 16 by 16 pixels of one colour."""
    red, green, blue = hashlib.sha256(seed.encode()).digest()[:3]
    rows = (b"\0" + bytes([red, green, blue]) * 16) * 16

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 16, 16, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")
