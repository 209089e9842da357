// The official TypeScript client: lists, calls and pages every tool of a server whose memory is empty.
//
//     node client.mjs FOLDER stdio COMMAND...    node client.mjs FOLDER http URL
//
// FOLDER holds the node_modules with the client. It prints one line of JSON a way of connecting, and fails where
// something is not as it should be.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const TOOLS = ["search_memories", "get_memory", "add_memory", "forget_memory", "list_sessions"];
const [folder, way, ...target] = process.argv.slice(2);
const require = createRequire(join(folder, "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);

// Before version 2 the client is a part of the package `sdk`, and knows `initialize` alone.
const isFirst = existsSync(join(folder, "node_modules/@modelcontextprotocol/sdk"));
const name = isFirst ? "@modelcontextprotocol/sdk" : "@modelcontextprotocol/client";
const { version } = JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8"));
const { Client } = await load(isFirst ? `${name}/client/index.js` : name);
const { StdioClientTransport } = await load(isFirst ? `${name}/client/stdio.js` : `${name}/stdio`);
const { StreamableHTTPClientTransport } = await load(isFirst ? `${name}/client/streamableHttp.js` : name);

function transport() {
  if (way === "http") return new StreamableHTTPClientTransport(new URL(target[0]));
  return new StdioClientTransport({ command: target[0], args: target.slice(1), env: { ...process.env } });
}

async function use(number, mode) {
  const client = new Client({ name: "test", version: "1" }, mode ? { versionNegotiation: { mode } } : {});
  const connection = transport();
  let protocol;
  connection.setProtocolVersion = ((set) => (chosen) => ((protocol = chosen), set?.call(connection, chosen)))(
    connection.setProtocolVersion,
  );
  await client.connect(connection);
  const done = async (name, args) => {
    const result = await client.callTool({ name, arguments: args });
    assert.ok(!result.isError && result.structuredContent && result.content[0].text, JSON.stringify([name, args, result]));
    return result.structuredContent;
  };
  const refused = async (name, args) => {
    const result = await client.callTool({ name, arguments: args });
    assert.ok(result.isError && result.content[0].text, JSON.stringify([name, args, result]));
    return result.content[0].text;
  };
  const pages = async (name, field, args) => {
    const entries = [];
    for (let count = 1; ; count++) {
      const page = await done(name, args);
      entries.push(...page[field]);
      if (page.next_cursor === undefined) return { entries, count };
      args = { ...args, cursor: page.next_cursor };
    }
  };

  assert.match(client.getInstructions(), /search_memories/);
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name), TOOLS);
  const session = `typescript ${number}`;
  const said = Array.from({ length: 12 }, (_, n) => ({ speaker: "Ann", text: `Row ${n} of plot ${number} has beans.` }));
  const added = await done("add_memory", { turns: said, session });
  assert.equal(added.added, 12);
  await done("add_memory", { turns: [{ speaker: "Ben", text: "It rains." }], session: `${session}, later` });
  assert.equal((await done("add_memory", { note: `Plot ${number} is the one with beans.` })).added, 1);
  const query = { query: `beans of plot ${number}`, k: 5, speaker: "Ann", from: "yesterday" };
  const { entries: hits, count } = await pages("search_memories", "hits", query);
  const found = new Set(hits.map((hit) => `${hit.conversation} ${hit.id}`));
  assert.ok(count > 2 && found.size === hits.length, JSON.stringify(hits));
  for (const id of added.ids) assert.ok(found.has(`default ${id}`), id);
  const shown = await done("get_memory", { id: added.ids[5], around: 2 });
  assert.deepEqual([shown.before.length, shown.after.length, shown.memory.text], [2, 2, said[5].text]);
  const listed = await pages("list_sessions", "sessions", { limit: 1 });
  assert.equal(listed.count, listed.entries.length);
  assert.ok(listed.entries.some((one) => one.session === session));
  assert.equal((await done("forget_memory", { id: added.ids[5] })).forgotten.turns, 1);
  assert.match(await refused("get_memory", { id: added.ids[5] }), /unknown_memory/);
  assert.match(await refused("search_memories", { query: "x", querry: "x" }), /unknown argument "querry"/);
  await client.close();
  protocol = client.getNegotiatedProtocolVersion?.() ?? protocol ?? null;
  console.log(JSON.stringify({ client: `${name} ${version}`, protocol, tools: tools.length }));
}

const modes = isFirst ? [undefined] : ["auto", "legacy"];
for (const [number, mode] of modes.entries()) await use(number, mode);
