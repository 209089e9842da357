"""Conversations in the shape of Claude's data export.

A session is a conversation. All branches stand in chat_messages in the order of their times; parent_message_uuid says
which follows which, and nothing says which branch is on the screen: it is the one with the newest message.
"""

from datetime import timedelta

from shapes import extras_of, hexes, ident, sessions, shown

ROOT = "00000000-0000-4000-8000-000000000000"
PLACEHOLDER = "```\nThis block is not supported on your current device yet.\n```"


def stamp(at):
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def block(kind, at, **fields):
    return {
        "start_timestamp": stamp(at),
        "stop_timestamp": stamp(at + timedelta(seconds=2)),
        "flags": None,
        "type": kind,
        **fields,
    }


def text_block(at, text):
    return block("text", at, text=text, citations=[])


def tool(at, name, given, result, *key):
    """A call and its result."""
    call = "toolu_01" + hexes(22, *key)
    shared = {"integration_name": None, "integration_icon_url": None, "context": None, "display_content": None}
    return [
        block(
            "tool_use",
            at,
            id=call,
            name=name,
            input=given,
            message=name,
            **shared,
            approval_options=None,
            approval_key=None,
        ),
        block(
            "tool_result",
            at,
            tool_use_id=call,
            name=name,
            content=result,
            is_error=False,
            structured_content=None,
            meta=None,
            message=None,
            **shared,
        ),
    ]


class Chat:
    """One conversation while it is rendered."""

    def __init__(self, name, session, account):
        self.key, self.account = f"{name}/{session[0]['session']}", account
        self.title, self.messages, self.parent = session[0].get("title", ""), [], ROOT

    def add(self, uuid, sender, at, content, attachments=(), files=()):
        """Appends a message after the current one, and makes it the current one."""
        spoken = [
            part["text"] if part["type"] == "text" else PLACEHOLDER for part in content if part["type"] != "thinking"
        ]
        self.messages.append(
            {
                "uuid": uuid,
                "text": "\n\n".join(spoken),
                "content": content,
                "sender": sender,
                "created_at": stamp(at),
                "updated_at": stamp(at),
                "attachments": list(attachments),
                "files": list(files),
                "parent_message_uuid": self.parent,
            }
        )
        self.parent = uuid

    def artifact(self, at, turn, given):
        key = (self.key, turn["id"], given["command"], given["id"])
        given = {**given, "version_uuid": ident("version", *key)}
        return tool(at, "artifacts", given, [{"type": "text", "text": "OK", "uuid": ident("result", *key)}], *key)

    def before(self, turn, operation):
        """What an answer's content starts with."""
        kind, at = operation[0], turn["at"] - timedelta(seconds=3)
        if kind == "thinking":
            return [
                block(
                    "thinking",
                    at,
                    thinking=operation[1],
                    summaries=[{"summary": operation[1].split(".")[0]}],
                    cut_off=False,
                    alternative_display_type=None,
                )
            ]
        if kind == "artifact":
            _, name, mime, title, content = operation
            return self.artifact(
                at, turn, {"id": name, "type": mime, "title": title, "command": "create", "content": content}
            )
        if kind == "artifact_update":
            _, name, old, new = operation
            return self.artifact(at, turn, {"id": name, "command": "update", "old_str": old, "new_str": new})
        if kind == "artifact_rewrite":
            return self.artifact(at, turn, {"id": operation[1], "command": "rewrite", "content": operation[2]})
        if kind == "web_search":
            found = [
                {
                    "type": "knowledge",
                    "title": title,
                    "url": url,
                    "text": text,
                    "is_missing": False,
                    "is_citable": False,
                    "metadata": {"type": "webpage_metadata", "site_domain": "example.org", "site_name": "example.org"},
                }
                for title, url, text in operation[2]
            ]
            return tool(at, "web_search", {"query": operation[1]}, found, self.key, turn["id"], kind)
        raise SystemExit(f"{turn['id']}: unknown operation {kind!r}")

    def turn(self, turn, operations):
        human = turn["speaker"] != "Assistant"
        sender, uuid, parent = "human" if human else "assistant", ident(turn["conversation"], turn["id"]), self.parent
        content, attachments, files = [], [], []
        for operation in operations:
            kind = operation[0]
            if kind in ("edited", "regenerated"):
                # The branch that was left comes first: it is older.
                early = turn["at"] - timedelta(seconds=6)
                self.add(ident(uuid, kind), sender, early, [text_block(early, operation[1])])
                if kind == "edited":
                    later = early + timedelta(seconds=1)
                    self.add(ident(uuid, kind, "answer"), "assistant", later, [text_block(later, operation[2])])
                self.parent = parent
            elif kind == "paste":
                attachments.append(
                    {
                        "file_name": operation[1],
                        "file_size": len(operation[2].encode()),
                        "file_type": "txt",
                        "extracted_content": operation[2],
                    }
                )
            elif kind == "photo":
                files.append({"file_uuid": ident(uuid, "file"), "file_name": operation[1]})
            else:
                content += self.before(turn, operation)
        self.add(uuid, sender, turn["at"], content + [text_block(turn["at"], turn["text"])], attachments, files)

    def whole(self):
        return {
            "uuid": ident("chat", self.key),
            "name": self.title,
            "summary": "",
            "created_at": self.messages[0]["created_at"],
            "updated_at": self.messages[-1]["updated_at"],
            "account": {"uuid": self.account},
            "chat_messages": self.messages,
        }


def conversation(name, extras, account):
    """The chats of a dialogue, oldest first."""
    shown(extras, name)
    chats = []
    for session in sessions(name).values():
        chat = Chat(name, session, account)
        for turn in session:
            chat.turn(turn, extras_of(extras, turn))
        chats.append(chat.whole())
    return chats


def archive(name, extras, project=None):
    """The files of an export of one account, with a project where it has one."""
    account = ident(name, "account")
    chats = conversation(name, extras, account)
    first = chats[0]["created_at"]
    opened = {
        "uuid": ident(name, "opened"),
        "name": "",
        "summary": "",
        "created_at": first,
        "updated_at": first,
        "account": {"uuid": account},
        "chat_messages": [],
    }
    chats.sort(key=lambda chat: chat["updated_at"], reverse=True)
    person = next(turn["speaker"] for turn in sessions(name)["S1"] if turn["speaker"] != "Assistant")
    projects = []
    if project:
        title, prompt, filename, content = project
        projects.append(
            {
                "uuid": ident(name, "project"),
                "name": title,
                "description": "",
                "is_private": True,
                "is_starter_project": False,
                "prompt_template": prompt,
                "created_at": first,
                "updated_at": first,
                "creator": {"uuid": account, "full_name": person},
                "docs": [{"uuid": ident(name, "doc"), "filename": filename, "content": content, "created_at": first}],
            }
        )
    memory = {
        "conversations_memory": f"**Work context**\n\n{person} writes in English, which is not their first language.",
        "project_memories": {},
        "account_uuid": account,
    }
    user = {"uuid": account, "full_name": person, "email_address": f"{name}@example.org", "verified_phone_number": None}
    return {
        "conversations.json": [*chats, opened],
        "projects.json": projects,
        "memories.json": [memory],
        "users.json": [user],
    }
