// Alias operations, signed and mined as an agent would.
import { type Agent, ALIAS_BITS } from "./agent.ts";
import type { Answer, TestBoard } from "./board.ts";

interface AliasAnswer {
  readonly op: string;
  readonly alias: string;
  readonly email: string;
  readonly agent: string;
  readonly expires_at: string;
  readonly error: { readonly code: string; readonly details?: Record<string, unknown> };
}

export interface AliasPage {
  readonly aliases: readonly { alias: string; email: string; agent: string; claimed_at: string; expires_at: string }[];
  readonly next_cursor: string | null;
}

let tick = 0;
/** Operations on one alias need increasing times, so each gets its own second. */
export async function operateAlias(
  board: TestBoard,
  agent: Agent,
  op: "claim" | "release",
  alias: string,
  more: Record<string, unknown> = {},
): Promise<Answer<AliasAnswer>> {
  tick++;
  board.clock.advance(1000);
  const payload = JSON.stringify({ v: 1, pk: agent.pk, ts: Math.floor(board.clock.now() / 1000), op, alias, ...more });
  return (await board.send(JSON.stringify(agent.seal(payload, undefined, ALIAS_BITS)), "/api/aliases")) as unknown as Answer<AliasAnswer>;
}

/** A name that nobody has claimed since the last operation. */
export const freshAlias = (): string => `name-${tick}x`;
