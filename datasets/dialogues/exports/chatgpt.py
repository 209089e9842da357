"""Conversations in the shape of ChatGPT's data export, as of 2026 and as of 2024.

A session is a conversation: a tree of nodes, of which the branch that ends in current_node was on the screen last.
"""

import json
from datetime import timedelta

from shapes import extras_of, hexes, ident, picture, sessions, shown

HIDDEN = {"is_visually_hidden_from_conversation": True}


class Style:
    """What differs between the years."""

    def __init__(self, year, model, pointer, root):
        self.year, self.model, self.pointer, self.root = year, model, pointer, root

    @property
    def recent(self):
        return self.year >= 2025


RECENT = Style(2026, "gpt-5-2", "sediment://file_", "client-created-root")
OLDER = Style(2024, "gpt-4o", "file-service://file-", None)


def seconds(at):
    return round(at.timestamp(), 6)


class Tree:
    """One conversation while it is rendered."""

    def __init__(self, name, session, style):
        self.style, self.key, self.first = style, f"{name}/{session[0]['session']}", session[0]
        self.id, self.mapping, self.assets = ident("chat", self.key), {}, {}
        self.canvases = {}
        self.current = style.root or ident(self.key, "root")
        self.mapping[self.current] = {"id": self.current, "message": None, "parent": None, "children": []}

    def node(self, uuid, role, at, content, *, name=None, to="all", metadata=None, end=None, weight=1.0, channel=None):
        """Hangs a message below the current node, and makes it the current one."""
        message = {
            "id": uuid,
            "author": {"role": role, "name": name, "metadata": {}},
            "create_time": None if at is None else seconds(at),
            "update_time": None,
            "content": content,
            "status": "finished_successfully",
            "end_turn": end,
            "weight": weight,
            "metadata": metadata or {},
            "recipient": to,
        }
        if self.style.recent:
            message["channel"] = channel
        self.mapping[self.current]["children"].append(uuid)
        self.mapping[uuid] = {"id": uuid, "message": message, "parent": self.current, "children": []}
        self.current = uuid

    def opening(self, about):
        """The system message and the custom instructions, both hidden."""
        empty = {"content_type": "text", "parts": [""]}
        self.node(ident(self.key, "system"), "system", None, empty, metadata=dict(HIDDEN), end=True, weight=0.0)
        if about:
            context = {
                "content_type": "user_editable_context",
                "user_profile": f"Preferred name: {about}",
                "user_instructions": "Answer briefly.",
            }
            said = {
                **HIDDEN,
                "is_user_system_message": True,
                "user_context_message_data": {
                    "about_user_message": f"Preferred name: {about}",
                    "about_model_message": "Answer briefly.",
                },
            }
            self.node(ident(self.key, "context"), "user", None, context, metadata=said)

    def metadata(self, turn, **more):
        """What the metadata of an answer hold."""
        shared = {
            "request_id": ident(self.key, turn["id"], "request"),
            "message_type": "next",
            "model_slug": self.style.model,
            "default_model_slug": self.style.model,
            "parent_id": self.current,
        }
        if self.style.recent:
            shared["turn_exchange_id"] = ident(self.key, turn["id"], "exchange")
        return {**more, **shared}

    def answer(self, uuid, turn, at, parts, kind="text"):
        details = {
            "finish_details": {"type": "stop", "stop_tokens": [200002]},
            "is_complete": True,
            "citations": [],
            "content_references": [],
        }
        self.node(
            uuid,
            "assistant",
            at,
            {"content_type": kind, "parts": parts},
            metadata=self.metadata(turn, **details),
            end=True,
            channel="final",
        )

    def call(self, turn, recipient, content, result, *, step, **more):
        """What a model asks of a tool, and what the tool answers."""
        at = turn["at"] - timedelta(seconds=4 - 2 * step)
        call, reply = (
            ident(self.key, turn["id"], recipient, str(step)),
            ident(self.key, turn["id"], recipient, str(step), "result"),
        )
        self.node(call, "assistant", at, content, to=recipient, metadata=self.metadata(turn), channel="commentary")
        self.node(
            reply, "tool", at + timedelta(seconds=1), result, name=recipient, metadata=self.metadata(turn, **more)
        )

    def code(self, text, language="unknown"):
        return {"content_type": "code", "language": language, "response_format_name": None, "text": text}

    def canvas(self, turn, step, title, given, command, version):
        textdoc = hexes(32, self.key, title)
        if command == "create_textdoc":
            said = (
                f"Successfully created text document '{title}' which will be referenced in all future messages with "
                f"the unique "
                f"identifier textdoc_id: '{textdoc}'\n"
            )
        else:
            said = f"Successfully updated text document with textdoc_id: '{textdoc}'\n"
        canvas = {
            "textdoc_id": textdoc,
            "textdoc_type": "document",
            "version": version,
            "title": title,
            "create_source": "model",
        }
        result = {"content_type": "text", "parts": [said]}
        self.call(
            turn,
            f"canmore.{command}",
            self.code(json.dumps(given, ensure_ascii=False), "json"),
            result,
            step=step,
            command=command,
            canvas=canvas,
        )

    def before(self, turn, step, operation):
        """The nodes that precede an answer."""
        kind, at = operation[0], turn["at"] - timedelta(seconds=5)
        if kind == "thoughts":
            _, took, (summary, content) = operation
            thoughts = ident(self.key, turn["id"], "thoughts")
            inner = {
                "content_type": "thoughts",
                "thoughts": [{"summary": summary, "content": content, "chunks": [], "finished": True}],
                "source_analysis_msg_id": ident(self.key, turn["id"], "analysis"),
            }
            self.node(thoughts, "assistant", at, inner, metadata=self.metadata(turn, reasoning_status="is_reasoning"))
            recap = {"content_type": "reasoning_recap", "content": f"Thought for {took} seconds"}
            ended = self.metadata(turn, reasoning_status="reasoning_ended", finished_duration_sec=took)
            self.node(
                ident(self.key, turn["id"], "recap"),
                "assistant",
                at + timedelta(seconds=1),
                recap,
                metadata=ended,
                end=False,
            )
        elif kind == "canvas":
            _, title, mime, content = operation
            self.canvases[title] = 1
            self.canvas(turn, step, title, {"name": title, "type": mime, "content": content}, "create_textdoc", 1)
        elif kind == "canvas_update":
            _, title, old, new = operation
            self.canvases[title] += 1
            updates = {"updates": [{"pattern": old, "multiple": False, "replacement": new}]}
            self.canvas(turn, step, title, updates, "update_textdoc", self.canvases[title])
        elif kind == "search":
            _, query, found = operation
            pages = "\n".join(f"[{number}] {title} ({url})\n{text}" for number, (title, url, text) in enumerate(found))
            self.call(
                turn,
                "web.run",
                self.code(json.dumps({"search_query": [{"q": query}]})),
                {"content_type": "text", "parts": [pages]},
                step=step,
                search_result_groups=[
                    {
                        "type": "search_result_group",
                        "domain": "example.org",
                        "entries": [
                            {"type": "search_result", "url": url, "title": title, "snippet": text}
                            for title, url, text in found
                        ],
                    }
                ],
            )
        elif kind == "browse":
            _, query, found = operation
            ((title, url, text),) = found
            quote = {
                "content_type": "tether_quote",
                "url": url,
                "domain": "example.org",
                "text": text,
                "title": title,
                "tether_id": None,
            }
            self.call(turn, "browser", self.code(f'search("{query}")'), quote, step=step)
        elif kind == "python":
            _, code, output = operation
            self.call(
                turn,
                "python",
                self.code(code, "python"),
                {"content_type": "execution_output", "text": output},
                step=step,
                aggregate_result={"status": "success", "code": code, "final_expression_output": None},
            )
        elif kind == "memory":
            self.call(
                turn,
                "bio",
                {"content_type": "text", "parts": [operation[1]]},
                {"content_type": "text", "parts": ["Model set context updated."]},
                step=step,
            )
        elif kind == "dalle":
            prompt = operation[1]
            pointer = self.picture(f"{self.key}/{prompt}", "dalle-generations/", ".webp")
            pointer["metadata"] = {
                "dalle": {"gen_id": hexes(16, prompt), "prompt": prompt, "seed": 1202, "parent_gen_id": None}
            }
            self.call(
                turn,
                "dalle.text2im",
                self.code(json.dumps({"prompt": prompt, "size": "1024x1024", "n": 1}), "json"),
                {"content_type": "multimodal_text", "parts": [pointer]},
                step=step,
            )
        else:
            raise SystemExit(f"{turn['id']}: unknown operation {kind!r}")

    def picture(self, seed, folder="", ending=".png"):
        """A pointer to an image, whose file goes into the archive."""
        digits = hexes(32, seed) if self.style.recent else "".join(c for c in ident(seed).title() if c.isalnum())[:24]
        data = picture(seed)
        stem = "file_" if self.style.recent else "file-"
        self.assets[f"{folder}{stem}{digits}{'-sanitized' if self.style.recent else ''}{ending}"] = data
        return {
            "content_type": "image_asset_pointer",
            "asset_pointer": f"{self.style.pointer}{digits}",
            "size_bytes": len(data),
            "width": 16,
            "height": 16,
            "fovea": None if self.style.recent else 512,
            "metadata": None,
        }

    def spoken(self, turn, direction):
        """A turn of voice mode: its transcription, and a pointer to sound that is not in the archive."""
        sound = {
            "content_type": "audio_asset_pointer",
            "asset_pointer": self.style.pointer + hexes(32, self.key, turn["id"], "sound"),
            "size_bytes": 96000,
            "format": "wav",
            "metadata": {"start": 0.0, "end": 4.0},
            "expiry_datetime": None,
        }
        text = {
            "content_type": "audio_transcription",
            "text": turn["text"],
            "direction": direction,
            "decoding_id": None,
        }
        if direction == "in":
            sound = {
                "content_type": "real_time_user_audio_video_asset_pointer",
                "expiry_datetime": None,
                "frames_asset_pointers": [],
                "video_container_asset_pointer": None,
                "audio_asset_pointer": sound,
                "audio_start_timestamp": 1.0,
            }
        return [text, sound]

    def user(self, turn, operations, voice):
        uuid, parts, attachments = ident(turn["conversation"], turn["id"]), [turn["text"]], []
        kind = "text"
        for operation in operations:
            if operation[0] == "edited":
                self.branch(turn, operation)
            elif operation[0] == "image":
                pointer = self.picture(f"{self.key}/{operation[1]}")
                kind, parts = "multimodal_text", [pointer, turn["text"]]
                attachments.append(
                    {
                        "id": pointer["asset_pointer"].split("//")[1],
                        "size": pointer["size_bytes"],
                        "name": operation[1],
                        "mime_type": "image/jpeg",
                        "width": 16,
                        "height": 16,
                        "source": "local",
                    }
                )
            elif operation[0] == "file":
                _, file, mime, text = operation
                attachments.append(
                    {
                        "id": "file_" + hexes(32, self.key, file),
                        "size": 2048,
                        "name": file,
                        "mime_type": mime,
                        "file_token_size": len(text.split()),
                        "source": "local",
                    }
                )
            else:
                raise SystemExit(f"{turn['id']}: unknown operation {operation[0]!r}")
        if voice:
            kind, parts = "multimodal_text", self.spoken(turn, "in")
        metadata = {"request_id": ident(self.key, turn["id"], "request")}
        if self.style.recent:
            metadata |= {
                "selected_sources": [],
                "selected_github_repos": [],
                "serialization_metadata": {"custom_symbol_offsets": []},
                "message_source": None,
                "turn_exchange_id": ident(self.key, turn["id"], "exchange"),
            }
        if voice:
            metadata |= {"voice_mode_message": True}
        if attachments:
            metadata["attachments"] = attachments
        self.node(uuid, "user", turn["at"], {"content_type": kind, "parts": parts}, metadata=metadata)
        for operation in operations:
            if operation[0] == "file":
                # A file is given to the model by a tool that nobody sees.
                text = {"content_type": "text", "parts": [f"<PARSED TEXT FOR PAGE: 1 / 1>\n{operation[3]}"]}
                self.node(
                    ident(uuid, "file"),
                    "tool",
                    turn["at"] + timedelta(seconds=1),
                    text,
                    name="file_search",
                    metadata={**HIDDEN, "command": "context_stuff"},
                )

    def branch(self, turn, operation):
        """A message that was put anew: what was asked first, and its answer."""
        parent, at, uuid = self.current, turn["at"] - timedelta(seconds=6), ident(turn["conversation"], turn["id"])
        self.node(ident(uuid, "edited"), "user", at, {"content_type": "text", "parts": [operation[1]]})
        self.answer(ident(uuid, "edited", "answer"), turn, at + timedelta(seconds=1), [operation[2]])
        self.current = parent

    def assistant(self, turn, operations, voice):
        uuid, parent = ident(turn["conversation"], turn["id"]), self.current
        for operation in operations:
            if operation[0] == "regenerated":
                self.answer(ident(uuid, "regenerated"), turn, turn["at"] - timedelta(seconds=6), [operation[1]])
                self.current = parent
        for step, operation in enumerate(operations):
            if operation[0] != "regenerated":
                self.before(turn, step, operation)
        kind, parts = ("multimodal_text", self.spoken(turn, "out")) if voice else ("text", [turn["text"]])
        self.answer(uuid, turn, turn["at"], parts, kind)

    def whole(self, session, gizmo, archived, voice):
        made = {
            "title": self.first.get("title"),
            "create_time": seconds(session[0]["at"]),
            "update_time": seconds(session[-1]["at"]),
            "mapping": self.mapping,
            "moderation_results": [],
            "current_node": self.current,
            "plugin_ids": None,
            "conversation_id": self.id,
            "conversation_template_id": gizmo,
            "gizmo_id": gizmo,
            "is_archived": archived,
            "safe_urls": [],
            "default_model_slug": self.style.model,
            "voice": "cove" if voice else None,
            "id": self.id,
        }
        if self.style.recent:
            kind = None if gizmo is None else "snorlax" if gizmo.startswith("g-p-") else "gpt"
            made |= {
                "gizmo_type": kind,
                "is_starred": None,
                "blocked_urls": [],
                "conversation_origin": None,
                "is_read_only": None,
                "async_status": None,
                "disabled_tool_ids": [],
                "is_do_not_remember": False,
                "memory_scope": "global_enabled",
                "context_scopes": None,
                "sugar_item_id": None,
                "sugar_item_visible": False,
                "pinned_time": None,
                "is_study_mode": False,
                "owner": None,
            }
        return made


def conversation(name, extras, style, *, gizmo=lambda session: None, spoken=()):
    """The chats of a dialogue, newest first, and the files beside them."""
    shown(extras, name)
    chats, assets = [], {}
    for number, (key, session) in enumerate(sessions(name).items()):
        tree = Tree(name, session, style)
        tree.opening(session[0]["speaker"] if number % 3 == 0 else None)
        for turn in session:
            say = tree.assistant if turn["speaker"] == "Assistant" else tree.user
            say(turn, extras_of(extras, turn), key in spoken)
        chats.append(tree.whole(session, gizmo(key), number == 1, key in spoken))
        assets |= tree.assets
    chats.sort(key=lambda chat: chat["update_time"], reverse=True)
    return chats, assets


def page(chats):
    """chat.html: the same conversations again, inside a script."""
    data = json.dumps(chats, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    head = '<html>\n<head><title>ChatGPT Data Export</title></head>\n<body><div id="root"></div>\n<script>\n'
    return f"{head}var jsonData = {data};\n</script>\n</body>\n</html>\n"


def beside(name, chats, style):
    """The small files that every export has."""
    user = "user-" + hexes(24, name)
    chat = chats[-1]
    rated = [
        node["message"]["id"]
        for node in chat["mapping"].values()
        if node["message"] and node["message"]["author"]["role"] == "assistant"
    ]
    files = {
        "user.json": {
            "id": user,
            "email": f"{name}@example.org",
            "chatgpt_plus_user": True,
            "birth_year": 1980,
            "phone_number": None,
        },
        "message_feedback.json": [
            {
                "id": rated[0],
                "conversation_id": chat["id"],
                "user_id": user,
                "rating": "thumbs_up",
                "create_time": "2026-01-04T08:00:00.000000Z",
                "workspace_id": None,
                "content": "{}",
                "evaluation_name": None,
                "evaluation_treatment": None,
            }
        ],
        "shared_conversations.json": [
            {"id": ident(name, "shared"), "conversation_id": chat["id"], "title": chat["title"], "is_anonymous": True}
        ],
    }
    if style.recent:
        return {
            **files,
            "user_settings.json": {"user_id": user, "settings": {"voice_name": "cove"}},
            "group_chats.json": {"chats": []},
            "shopping.json": [],
            "sora.json": {},
        }
    return {**files, "model_comparisons.json": []}
