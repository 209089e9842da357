// Counts, in tokens of o200k_base, what MCP servers cost a model: the definitions of their tools, their instructions, and
// the text of one search. Each server is started as a client starts it, over standard input and output.
//
//     tokens.mjs PROGRAM FOLDER ['NAME=COMMAND']...
//
// A peer whose tools are in PEERS below is first given the same conversation, and asked the same question.

import { spawn, execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import path from "node:path";

const CONVERSATION = "crates/cli/demo/conversation.jsonl";
const QUESTION = "does Maya drink coffee these days?";
const PATIENCE_MS = 120_000;

const [program, folder, ...named] = process.argv.slice(2);
const { encode } = createRequire(path.resolve(folder, "package.json"))("gpt-tokenizer/encoding/o200k_base");
const tokens = (value) => encode(typeof value === "string" ? value : JSON.stringify(value)).length;
const turns = readFileSync(CONVERSATION, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));

/** How a peer is given the conversation, and what is asked of it. */
const PEERS = {
  "basic memory": {
    *fill() {
      for (const session of new Set(turns.map((turn) => turn.session))) {
        const said = turns.filter((turn) => turn.session === session);
        const content = said.map((turn) => `${turn.said_at} ${turn.speaker}: ${turn.text}`).join("\n\n");
        yield ["write_note", { title: session, content, directory: "chats" }];
      }
    },
    search: ["search_notes", { query: QUESTION }],
  },
  mempalace: {
    *fill() {
      for (const turn of turns)
        yield ["mempalace_add_drawer", { wing: "chats", room: turn.session, content: `${turn.said_at} ${turn.speaker}: ${turn.text}` }];
    },
    search: ["mempalace_search", { query: QUESTION }],
  },
};

/** A server that was started, and its answers by the number of the request. */
class Server {
  constructor(command, args, env) {
    this.child = spawn(command, args, { env, stdio: ["pipe", "pipe", "ignore"] });
    this.waiting = new Map();
    this.next = 1;
    createInterface({ input: this.child.stdout }).on("line", (line) => {
      let message;
      try { message = JSON.parse(line); } catch { return; }
      this.waiting.get(message.id)?.(message);
    });
    this.ended = new Promise((_, reject) => {
      this.child.on("error", reject);
      this.child.on("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    });
    this.ended.catch(() => {});
  }

  async request(method, params) {
    const id = this.next++;
    const answer = new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`no answer to ${method} within ${PATIENCE_MS / 1000} s`)), PATIENCE_MS);
      this.waiting.set(id, (message) => { clearTimeout(late); resolve(message); });
    });
    this.child.stdin.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n");
    const message = await Promise.race([answer, this.ended]);
    if (message.error) throw new Error(`${method}: ${message.error.message}`);
    return message.result;
  }

  async start() {
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "tokens", version: "1" } };
    const { instructions } = await this.request("initialize", params);
    this.child.stdin.write(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }) + "\n");
    return instructions ?? "";
  }

  async tools() {
    const all = [];
    let cursor;
    do {
      const page = await this.request("tools/list", cursor ? { cursor } : {});
      all.push(...page.tools);
      cursor = page.nextCursor;
    } while (cursor);
    return all;
  }

  async call(name, args) {
    const result = await this.request("tools/call", { name, arguments: args });
    const text = result.content.filter((block) => block.type === "text").map((block) => block.text).join("\n");
    if (result.isError) throw new Error(`${name}: ${text.slice(0, 200)}`);
    return text;
  }
}

async function measure(name, command, args, env, fill, search) {
  const server = new Server(command, args, env);
  try {
    const instructions = await server.start();
    const tools = await server.tools();
    const shown = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    const longest = Math.max(...tools.map((tool) => Buffer.byteLength(tool.description ?? "")));
    let answer = "";
    if (search) {
      try {
        for (const [tool, given] of fill) await server.call(tool, given);
        answer = tokens(await server.call(...search));
      } catch (problem) {
        process.stderr.write(`${name}: ${problem.message}\n`);
      }
    }
    console.log(`| ${name} | ${tools.length} | ${tokens(shown)} | ${tokens(tools)} | ${tokens(instructions)} | ${longest} | ${answer} |`);
  } finally {
    server.child.kill();
  }
}

const home = path.resolve(folder, "home");
rmSync(home, { recursive: true, force: true });
mkdirSync(home, { recursive: true });
const env = { ...process.env, HOME: home, AFORESAID_STORE: path.join(home, "memory.db") };
execFileSync(program, ["import", CONVERSATION, "--namespace", "bench"], { env, stdio: "ignore" });

console.log("| server | tools | definitions | with output schemas and annotations | instructions | longest description, bytes | answer |");
console.log("|---|---|---|---|---|---|---|");
await measure("aforesaid", program, ["mcp", "--namespace", "bench"], env, [], ["search_memories", { query: QUESTION }]);
for (const peer of named) {
  const cut = peer.indexOf("=");
  const name = peer.slice(0, cut);
  const known = PEERS[name.toLowerCase()];
  await measure(name, "sh", ["-c", `exec ${peer.slice(cut + 1)}`], env, known?.fill() ?? [], known?.search);
}
process.exit(0);
