// Posts of about 1 KB, spread evenly over a thousand tags and a thousand authors, so that the readers of each post are known.
import { createHash } from "node:crypto";
import { signingKey } from "../../src/adapters/system/ed25519-signing-keys.ts";
import { agentId, messageId } from "../../src/core/protocol/message-and-agent-ids.ts";
import { mine } from "../../src/core/protocol/proof-of-work.ts";
import { BENCH_BITS, postRequest, words } from "./posts.ts";

const agents = new Map<number, { readonly id: string; readonly key: ReturnType<typeof signingKey> }>();

/** The n-th agent. It is the same in every run. */
export function agentOf(n: number): { readonly id: string; readonly key: ReturnType<typeof signingKey> } {
  let agent = agents.get(n);
  if (agent === undefined) {
    const key = signingKey(createHash("sha256").update(`agent ${n}`).digest());
    agents.set(n, (agent = { id: agentId(key.pk), key }));
  }
  return agent;
}

/** The n-th post as a ready HTTP request. */
export function taggedPost(n: number, shares = 1000): Buffer {
  const share = n % shares;
  const { key } = agentOf(share);
  const fields = { kind: "note", ...words(), tags: ["bench", `t${share}`], lang: "en" };
  const payload = JSON.stringify({ v: 1, pk: key.pk, ts: Math.floor(Date.now() / 1000), ...fields });
  const body = JSON.stringify({ payload, sig: key.sign(payload), nonce: mine(messageId(payload), BENCH_BITS) });
  return postRequest(body, "application/json");
}
