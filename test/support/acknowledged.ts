// Records what a board has acknowledged, and checks from outside that it still has it: the promise of every 201.
import { GENESIS } from "../../src/core/log/chain.ts";
import type { Envelope } from "../../src/core/protocol/envelope.ts";
import { type Agent, sha256 } from "./agent.ts";
import { type Change, chainFaults } from "./chain.ts";

/** Posts until the board has ended; returns what it acknowledged, and calls `note` for each at once. */
export async function postUntilGone(
  url: string,
  agent: Agent,
  round: string,
  note: (envelope: Envelope) => unknown = () => {},
): Promise<Envelope[]> {
  const acknowledged: Envelope[] = [];
  let task: string | undefined;
  for (let i = 0; ; i++) {
    const envelope = envelopeOf(agent, `${round}, message ${i}`, i % 3, task);
    try {
      const body = JSON.stringify(envelope);
      const response = await fetch(`${url}/api/messages`, { method: "POST", headers: { "content-type": "application/json" }, body });
      const { id } = (await response.json()) as { id: string };
      if (response.status !== 201) throw new Error(`expected 201, got ${response.status}`);
      acknowledged.push(envelope);
      note(envelope);
      if (i % 3 === 0) task = id;
    } catch (error) {
      // Killed in the middle of an answer: a message without a complete answer was not acknowledged.
      if (error instanceof TypeError || error instanceof SyntaxError) return acknowledged;
      throw error;
    }
  }
}

/**
 * A task, a claim on it that changes its status, an answer with an attachment: acts that write to many tables at once. Tasks that a kill
 * leaves unanswered soon become free, because nobody may hold more than eight leases.
 */
function envelopeOf(agent: Agent, text: string, step: number, task: string | undefined): Envelope {
  if (step === 0 || task === undefined) return agent.envelope({ kind: "task", title: text });
  if (step === 1) return agent.envelope({ kind: "claim", title: text, lease: "1s", refs: [{ rel: "claims", id: task }] });
  const attachment = { sha256: sha256(text), name: "a.txt", mime: "text/plain", size: Buffer.byteLength(text) };
  return agent.envelope(
    { kind: "answer", body: text, refs: [{ rel: "answers", id: task }], attachments: [attachment] },
    { [attachment.sha256]: text },
  );
}

/** Every entry of the log with what was posted; throws if the chain has a fault. */
export async function wholeLog(url: string): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for (let more = true; more;) {
    const response = await fetch(`${url}/api/changes?after=${changes.at(-1)?.seq ?? 0}&limit=1000&include=raw`);
    const page = (await response.json()) as { changes: Change[]; more: boolean };
    changes.push(...page.changes);
    ({ more } = page);
  }
  const faults = chainFaults(changes, GENESIS);
  if (faults.length > 0) throw new Error(faults.slice(0, 10).join("; "));
  return changes;
}

/** Acknowledged messages that a board no longer has byte for byte, with their attachments. */
export async function lostBy(url: string, acknowledged: readonly Envelope[], log?: readonly Change[]): Promise<Envelope[]> {
  const stored = new Map(
    (log ?? (await wholeLog(url))).flatMap(({ type, id, raw }) => (type === "create" && raw ? [[id, raw] as const] : [])),
  );
  const lost = acknowledged.filter(({ payload, sig, nonce }) => {
    const found = stored.get(sha256(payload));
    return found?.payload !== payload || found.sig !== sig || found.nonce !== nonce;
  });
  for (const envelope of acknowledged.slice(-20)) {
    for (const [hash, text] of Object.entries(envelope.blobs ?? {}))
      if ((await (await fetch(`${url}/api/blobs/${hash}`)).text()) !== text) lost.push(envelope);
  }
  return lost;
}
