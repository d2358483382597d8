// The promise behind every 201: the message is on disk. The board is killed at random, again and again, and must prove it.
import { expect, test } from "vitest";
import { detailDigest, entryHash, GENESIS } from "../src/core/log/chain.ts";
import type { Envelope } from "../src/core/protocol/envelope.ts";
import { Agent, sha256, TEST_BITS } from "./support/agent.ts";
import { BoardProcess, emptyDirectory } from "./support/process.ts";

const KILLS = 10;
const CONNECTIONS = 6;
const FLAGS = ["--pow-bits", String(TEST_BITS), "--rate-limits", "off", "--log-level", "warn"];

interface Change {
  readonly seq: number;
  readonly at: string;
  readonly type: "create" | "status" | "retract";
  readonly id: string;
  readonly detail: string | null;
  readonly digest: string;
  readonly prev: string;
  readonly hash: string;
  readonly raw?: Envelope | null;
}

/** Posts until the board is gone; answers what it acknowledged. */
async function postUntilGone(board: BoardProcess, agent: Agent, round: string): Promise<Envelope[]> {
  const acknowledged: Envelope[] = [];
  let task: string | undefined;
  for (let i = 0; ; i++) {
    const envelope = envelopeOf(agent, `${round}, message ${i}`, i % 3 === 0 ? undefined : task);
    try {
      const body = JSON.stringify(envelope);
      const response = await fetch(`${board.url}/api/messages`, { method: "POST", headers: { "content-type": "application/json" }, body });
      const { id } = (await response.json()) as { id: string };
      expect(response.status).toBe(201);
      acknowledged.push(envelope);
      if (i % 3 === 0) task = id;
    } catch (error) {
      // Killed in the middle of an answer: what was not answered in full was not acknowledged.
      if (error instanceof TypeError || error instanceof SyntaxError) return acknowledged;
      throw error;
    }
  }
}

/** A task, a claim on it that changes its status, an answer with an attachment: acts that write to many tables at once. */
function envelopeOf(agent: Agent, text: string, task: string | undefined): Envelope {
  if (task === undefined) return agent.envelope({ kind: "task", title: text });
  if (text.length % 2 === 0) return agent.envelope({ kind: "claim", title: text, refs: [{ rel: "claims", id: task }] });
  const attachment = { sha256: sha256(text), name: "a.txt", mime: "text/plain", size: Buffer.byteLength(text) };
  return agent.envelope(
    { kind: "answer", body: text, refs: [{ rel: "answers", id: task }], attachments: [attachment] },
    { [attachment.sha256]: text },
  );
}

/** Reads the log from its first entry and checks each link; answers what every create entry holds. */
async function checkedLog(url: string): Promise<Map<string, Envelope>> {
  const stored = new Map<string, Envelope>();
  let [after, prev, more] = [0, GENESIS, true];
  while (more) {
    const response = await fetch(`${url}/api/changes?after=${after}&limit=1000&include=raw`);
    const page = (await response.json()) as { changes: Change[]; more: boolean };
    for (const { raw, hash, detail, ...change } of page.changes) {
      const broken = (what: string) => new Error(`Entry ${change.seq}, expected after ${after}: ${what}.`);
      if (change.seq !== after + 1 || change.prev !== prev) throw broken("it does not continue the chain");
      if (hash !== entryHash({ ...change, at: Date.parse(change.at) })) throw broken("its hash is wrong");
      if (change.type === "create") {
        if (raw === undefined || raw === null) throw broken("its content is missing");
        if (change.digest !== sha256(`${raw.payload}\n${raw.sig}\n${raw.nonce}`)) throw broken("its content is not what was logged");
        if (change.id !== sha256(raw.payload)) throw broken("its id is not that of its payload");
        stored.set(change.id, raw);
      } else if (change.digest !== detailDigest(detail)) throw broken("its detail is not what was logged");
      [after, prev] = [change.seq, hash];
    }
    ({ more } = page);
  }
  return stored;
}

/** What a restarted board must still have, word for word. */
async function requireKept(url: string, acknowledged: readonly Envelope[]): Promise<void> {
  const stored = await checkedLog(url);
  const lost = acknowledged.filter(({ payload, sig, nonce }) => {
    const kept = stored.get(sha256(payload));
    return kept?.payload !== payload || kept.sig !== sig || kept.nonce !== nonce;
  });
  expect(lost).toEqual([]);
  for (const { blobs = {} } of acknowledged.slice(-20))
    for (const [hash, text] of Object.entries(blobs)) expect(await (await fetch(`${url}/api/blobs/${hash}`)).text()).toBe(text);
}

test("a board that is killed keeps every acknowledged message byte for byte, and its chain holds", { timeout: 180_000 }, async () => {
  const data = emptyDirectory();
  const agents = Array.from({ length: CONNECTIONS }, () => new Agent());
  const acknowledged: Envelope[] = [];
  let roundsWithWrites = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    await using board = await BoardProcess.serve(data, FLAGS);
    await requireKept(board.url, acknowledged);
    const posting = agents.map((agent, lane) => postUntilGone(board, agent, `kill ${kill}, lane ${lane}`));
    await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 700));
    expect((await board.kill("SIGKILL")).signal).toBe("SIGKILL");
    const round = (await Promise.all(posting)).flat();
    acknowledged.push(...round);
    if (round.length > 0) roundsWithWrites++;
  }
  await using board = await BoardProcess.serve(data, FLAGS);
  await requireKept(board.url, acknowledged);
  // Otherwise the kills came too early to prove anything.
  expect(roundsWithWrites).toBeGreaterThan(KILLS / 2);
});
