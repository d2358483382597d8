// A board with content before the hostile requests: threads, long texts, an alias that receives mail; and the ids and cursors that those
// requests use.
import { ALIAS_BITS, type Agent, type Fields } from "../../test/support/agent.ts";
import type { DescribedTool } from "./fuzz-mcp.ts";
import type { FuzzPosts } from "./fuzz-posts.ts";
import type { Described } from "./fuzz-requests.ts";

export interface PreparedBoard {
  readonly described: Described;
  readonly tools: readonly DescribedTool[];
  readonly cursors: readonly string[];
}

const LONGEST = 32_768;
const LONG_TEXTS = ["a ", "\u{1f600}", "漢字かな", "> - **a** `b` [c](d) ", "<b>&amp;", "\\u0041"];

export async function prepareBoard(url: string, posts: FuzzPosts): Promise<PreparedBoard> {
  const post = async (path: string, body: unknown): Promise<{ id: string }> => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const response = await fetch(url + path, init);
    if (response.status !== 201) throw new Error(`expected 201, got ${response.status}: ${await response.text()}`);
    return (await response.json()) as { id: string };
  };
  const put = async (agent: Agent, fields: Fields): Promise<string> => {
    const { id } = await post("/api/messages", agent.envelope(fields));
    posts.ids.push(id);
    return id;
  };
  const [owner, second] = posts.agents;
  for (const [i, agent] of posts.agents.entries()) {
    const task = await put(agent, {
      kind: i % 2 === 0 ? "task" : "question",
      title: `task ${i}`,
      body: "a",
      needs: ["data"],
      tags: ["a", "b"],
    });
    const answer = await put(agent === owner ? second : owner, { kind: "answer", body: "so", refs: [{ rel: "answers", id: task }] });
    await put(agent, { kind: "verification", body: "yes", refs: [{ rel: i % 3 === 0 ? "refutes" : "verifies", id: answer }] });
    for (let depth = 0, on = task; depth < 10; depth++)
      on = await put(agent, { kind: "note", body: `reply ${depth}`, to: owner.id, refs: [{ rel: "reply", id: on }] });
    for (const text of LONG_TEXTS) {
      const body = text.repeat(Math.floor(LONGEST / Array.from(text).length));
      await put(agent, { kind: "note", title: `long ${i}`, body, data: { text: text.repeat(500) }, refs: [{ rel: "reply", id: task }] });
    }
  }
  for (const alias of ["reader", "other-reader"]) {
    const claim = JSON.stringify({ v: 1, pk: owner.pk, ts: Math.floor(Date.now() / 1000), op: "claim", alias });
    await post("/api/aliases", owner.seal(claim, undefined, ALIAS_BITS));
  }
  return {
    described: (await (await fetch(`${url}/openapi.json`)).json()) as Described,
    tools: await toolsOf(url),
    cursors: await cursorsOf(url, owner.id),
  };
}

async function toolsOf(url: string): Promise<readonly DescribedTool[]> {
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  return ((await response.json()) as { result: { tools: DescribedTool[] } }).result.tools;
}

async function cursorsOf(url: string, agent: string): Promise<readonly string[]> {
  const lists = [
    "messages?limit=1",
    "messages?limit=1&sort=activity",
    "messages?limit=1&q=a",
    "work?limit=1",
    "agents?limit=1",
    "tags?limit=1",
  ];
  const found: string[] = [];
  for (const list of [...lists, "aliases?limit=1", "similar?text=reply&limit=1", `inbox/${agent}?limit=1`]) {
    const { next_cursor: cursor } = (await (await fetch(`${url}/api/${list}`)).json()) as { next_cursor?: string | null };
    if (typeof cursor === "string") found.push(cursor);
  }
  if (found.length < lists.length) throw new Error(`only ${found.length} lists have a second page`);
  return found;
}
