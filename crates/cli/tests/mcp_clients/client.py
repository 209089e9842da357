"""The official Python client: lists, calls and pages every tool of a server whose memory is empty.

    client.py stdio COMMAND...    client.py http URL

It prints one line of JSON a way of connecting, and fails where something is not as it should be.
"""

import asyncio
import json
import os
import sys
from contextlib import asynccontextmanager
from importlib.metadata import version

TOOLS = ["search_memories", "get_memory", "add_memory", "forget_memory", "list_sessions"]
KEY = os.environ.get("AFORESAID_MCP_KEY")


@asynccontextmanager
async def version_1(way, target):
    from mcp import ClientSession
    from mcp.client.stdio import StdioServerParameters, stdio_client

    if way == "stdio":
        opened = stdio_client(StdioServerParameters(command=target[0], args=target[1:], env=dict(os.environ)))
    else:
        from mcp.client.streamable_http import streamablehttp_client

        opened = streamablehttp_client(target[0])
    async with opened as streams, ClientSession(streams[0], streams[1]) as session:
        begun = await session.initialize()

        async def call(name, arguments):
            result = await session.call_tool(name, arguments)
            return result.isError, result.structuredContent, result.content[0].text

        yield begun.protocolVersion, begun.instructions, session.list_tools, call


@asynccontextmanager
async def version_2(way, target, mode):
    from mcp import Client, StdioServerParameters

    server = target[0]
    if way == "stdio":
        server = StdioServerParameters(command=target[0], args=target[1:], env=dict(os.environ))
    async with Client(server, mode=mode) as client:

        async def call(name, arguments):
            result = await client.call_tool(name, arguments)
            return result.is_error, result.structured_content, result.content[0].text

        yield client.protocol_version, client.instructions, client.list_tools, call


async def use(number, protocol, instructions, list_tools, call):
    async def done(name, **arguments):
        is_error, structured, text = await call(name, arguments)
        assert not is_error and isinstance(structured, dict) and text, (name, arguments, text)
        return structured

    async def refused(name, **arguments):
        is_error, _, text = await call(name, arguments)
        assert is_error and text, (name, arguments, text)
        return text

    async def pages(name, field, **arguments):
        entries, count = [], 0
        while True:
            page = await done(name, **arguments)
            entries += page[field]
            count += 1
            if "next_cursor" not in page:
                return entries, count
            arguments["cursor"] = page["next_cursor"]

    assert "search_memories" in instructions, instructions
    tools = (await list_tools()).tools
    assert [tool.name for tool in tools] == TOOLS, tools
    session = f"python {number}"
    said = [{"speaker": "Ann", "text": f"Row {n} of plot {number} has beans."} for n in range(12)]
    added = await done("add_memory", turns=said, session=session)
    assert added["added"] == 12, added
    await done("add_memory", turns=[{"speaker": "Ben", "text": "It rains."}], session=session + ", later")
    assert (await done("add_memory", note=f"Plot {number} is the one with beans."))["added"] == 1
    hits, count = await pages("search_memories", "hits", query=f"beans of plot {number}", k=5, speaker="Ann", **{"from": "yesterday"})
    assert count > 2 and set(added["ids"]) <= {hit["id"] for hit in hits}, hits
    assert len({(hit["conversation"], hit["id"]) for hit in hits}) == len(hits), hits
    shown = await done("get_memory", id=added["ids"][5], around=2)
    assert [len(shown["before"]), len(shown["after"])] == [2, 2], shown
    assert shown["memory"]["text"] == said[5]["text"], shown
    sessions, count = await pages("list_sessions", "sessions", limit=1)
    assert count == len(sessions) and session in [one["session"] for one in sessions], sessions
    assert (await done("forget_memory", id=added["ids"][5]))["forgotten"]["turns"] == 1
    assert "unknown_memory" in await refused("get_memory", id=added["ids"][5])
    assert "unknown argument \"querry\"" in await refused("search_memories", query="x", querry="x")
    print(json.dumps({"client": "mcp " + version("mcp"), "protocol": protocol, "tools": len(tools)}), flush=True)


async def main():
    way, target = sys.argv[1], sys.argv[2:]
    if version("mcp").startswith("1."):
        ways = [version_1(way, target)]
    else:
        ways = [version_2(way, target, mode) for mode in ["auto", "legacy"]]
    for number, opened in enumerate(ways):
        async with opened as client:
            await use(number, *client)


asyncio.run(main())
