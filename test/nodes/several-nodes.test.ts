// Several nodes over one database are one board, whichever of them is asked.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Envelope } from "../../src/core/protocol/envelope.ts";
import { lostBy, postUntilGone, wholeLog } from "../support/acknowledged.ts";
import { Agent } from "../support/agent.ts";
import type { Change } from "../support/chain.ts";
import { eventually } from "../support/eventually.ts";
import { openStream } from "../support/event-stream.ts";
import { Nodes, postTo } from "../support/nodes.ts";
import { pollChanges } from "../support/poll-changes.ts";
import { BoardProcess, emptyDirectory } from "../support/process.ts";

const WRITERS = 8;
const POSTS_EACH = 15;

interface Changes {
  readonly changes: readonly Change[];
  readonly next_after: number;
  readonly latest_seq: number;
}

let nodes: Nodes;
beforeAll(async () => {
  nodes = await Nodes.start(3);
});
afterAll(() => nodes[Symbol.asyncDispose]());

const at = (i: number): string => nodes.urls[i % nodes.urls.length] ?? "";
async function read<Body>(url: string): Promise<Body> {
  const response = await fetch(url);
  const body = (await response.json()) as Body;
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${JSON.stringify(body)}`);
  return body;
}

describe("three nodes", () => {
  test("eight writers and eight pollers over all of them never see a gap, a repeat or a late entry", async () => {
    let writing = true;
    const pollers = Array.from({ length: WRITERS }, () => pollChanges(nodes.urls, () => !writing));
    const writers = Array.from({ length: WRITERS }, async (_, lane) => {
      const agent = new Agent();
      let task: string | undefined;
      for (let i = 0; i < POSTS_EACH; i++) {
        const refs =
          task === undefined || i % 3 === 0 ? {} : { refs: [{ rel: i % 3 === 1 ? ("answers" as const) : ("reply" as const), id: task }] };
        const kind = task === undefined || i % 3 === 0 ? "task" : i % 3 === 1 ? "answer" : "note";
        // Each act of a writer goes to another node, and refers to the message that the node before has just acknowledged.
        const { id } = await postTo(at(lane + i), agent.envelope({ kind, title: `${lane} ${i}`, body: "x", ...refs }));
        if (kind === "task") task = id;
      }
    });
    await Promise.all(writers);
    writing = false;
    const logs = await Promise.all(pollers);
    const whole = await wholeLog(at(0));
    expect(whole.filter(({ type }) => type === "create").length).toBe(WRITERS * POSTS_EACH);
    const expected = whole.map(({ seq, hash }) => ({ seq, hash }));
    for (const log of logs) expect(log.map(({ seq, hash }) => ({ seq, hash }))).toEqual(expected);
  });

  test("a message that one node has acknowledged is shown by every other node from the next request on, in every view", async () => {
    const agent = new Agent();
    for (let i = 0; i < 6; i++) {
      const { id, seq } = await postTo(at(i), agent.envelope({ kind: "question", title: `everywhere ${i}`, tags: [`round-${i}`] }));
      const [one, list, similar] = await Promise.all([
        read<{ seq: number }>(`${at(i + 1)}/api/messages/${id}`),
        read<{ messages: { id: string }[]; latest_seq: number }>(`${at(i + 2)}/api/messages?tag=round-${i}`),
        read<{ messages: { id: string }[] }>(`${at(i + 1)}/api/messages?q=everywhere&author=${agent.id}&limit=200`),
      ]);
      expect(one.seq).toBe(seq);
      expect(list.messages.map((message) => message.id)).toEqual([id]);
      expect(list.latest_seq).toBeGreaterThanOrEqual(seq);
      expect(similar.messages.map((message) => message.id)).toContain(id);
    }
  });

  test("a stream and a long poll on one node show what was posted on another", async () => {
    const agent = new Agent();
    const { latest_seq: latest } = await read<Changes>(`${at(0)}/api/changes`);
    await using stream = await openStream({ url: at(0) }, `/api/stream?author=${agent.id}`);
    await stream.upTo("live");
    const waiting = eventually("the answer to a long poll", async () => {
      const asked = `author=${agent.id}&after_seq=${latest}&wait=20`;
      const { messages } = await read<{ messages: { id: string }[] }>(`${at(1)}/api/messages?${asked}`);
      return messages.length > 0 ? messages : undefined;
    });
    const { id } = await postTo(at(2), agent.envelope({ kind: "task", title: "seen from afar" }));
    expect((await stream.next("message")).data).toMatchObject({ id });
    expect((await waiting).map((message) => message.id)).toEqual([id]);
    const other = new Agent();
    await postTo(at(1), other.envelope({ kind: "claim", refs: [{ rel: "claims", id }] }));
    expect((await stream.next("status")).data).toMatchObject({ id, from: "open", to: "claimed" });
  });

  test("all sign the same history, and agree on the head once the board is still", async () => {
    const agent = new Agent();
    await Promise.all(Array.from({ length: 12 }, (_, i) => postTo(at(i), agent.envelope({ kind: "note", body: `head ${i}` }))));
    type Checkpoint = { seq: number; hash: string; pk: string };
    const heads = await Promise.all(Array.from({ length: 12 }, (_, i) => read<Checkpoint>(`${at(i)}/api/checkpoint`)));
    const log = new Map((await wholeLog(at(0))).map(({ seq, hash }) => [seq, hash]));
    for (const { seq, hash } of heads) expect(log.get(seq)).toBe(hash);
    expect(new Set(heads.map(({ seq, pk }) => `${seq} ${pk}`)).size).toBe(1);
  });

  test("a claim is won once, however many nodes are asked at the same moment", async () => {
    const { id } = await postTo(at(0), new Agent().envelope({ kind: "task", title: "one of you" }));
    const statuses = await Promise.all(
      Array.from({ length: 9 }, async (_, i) => {
        const body = JSON.stringify(new Agent().envelope({ kind: "claim", refs: [{ rel: "claims", id }] }));
        return (await fetch(`${at(i)}/api/messages`, { method: "POST", headers: { "content-type": "application/json" }, body })).status;
      }),
    );
    expect(statuses.sort((a, b) => a - b)).toEqual([201, ...Array<number>(8).fill(409)]);
  });

  test("a node that is killed in the middle of a batch loses nothing that it acknowledged, and holds up nobody", async () => {
    const acknowledged: Envelope[] = [];
    for (let kill = 0; kill < 2; kill++) {
      const victim = nodes.all[2];
      if (victim === undefined) throw new Error("There is no third node.");
      const enough = acknowledged.length + 8 + 5 * kill;
      const note = (envelope: Envelope) => acknowledged.push(envelope);
      const posting = Array.from({ length: 4 }, (_, lane) => postUntilGone(victim.url, new Agent(), `kill ${kill}, lane ${lane}`, note));
      await eventually("enough to lose", () => (acknowledged.length >= enough ? true : undefined));
      await victim.kill("SIGKILL");
      await Promise.all(posting);
      await postTo(at(0), new Agent().envelope({ kind: "note", body: "the others go on" }));
      await nodes.add(2);
    }
    expect(await lostBy(at(1), acknowledged)).toEqual([]);
  });
});

test.each([
  ["does not start, and says why", [], /public key .*--key-file/s],
  ["does not make it the board's while others run with the one it has", ["--new-key", "on"], /Stop them before you start with a new one/],
])("a node with another key %s", async (_does, more, words) => {
  const args = ["serve", "--port", "0", "--smtp-port", "0", "--data", emptyDirectory(), "--database-url", nodes.database];
  await using stranger = BoardProcess.spawn({ args: [...args, ...more] });
  const { code, stderr } = await stranger.ended;
  expect(code).toBe(1);
  expect(stderr).toMatch(words);
});
