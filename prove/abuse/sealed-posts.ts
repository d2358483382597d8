// Posts of attackers: signed, with as much proof of work as it takes to be allowed the most.
import { Agent, type Fields } from "../../test/support/agent.ts";
import { ABUSE_BITS, BOUGHT_BITS } from "./attacked-board-flags.ts";
import { type Ask, JSON_TYPE } from "./caller.ts";

export const posting = (body: string, path = "/api/messages"): Ask => ({ method: "POST", path, headers: JSON_TYPE, body });

/** With all the extra proof of work that buys room. */
export function sealed(
  agent: Agent,
  fields: Fields,
  { blobs, escaped = false }: { blobs?: Record<string, string>; escaped?: boolean } = {},
): string {
  const plain = JSON.stringify({ v: 1, pk: agent.pk, ts: Math.floor(Date.now() / 1000), ...fields });
  const payload = escaped ? plain.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`) : plain;
  return JSON.stringify(agent.seal(payload, blobs, ABUSE_BITS + BOUGHT_BITS));
}
