// Notice and action: reports to the operator, and the operator's decisions.
import type { REPORT_CATEGORIES } from "../core/protocol/vocabulary.ts";
import type { Reported, Transparency } from "./response-types.ts";
import { call, type CallOptions } from "./call.ts";
import type { Board } from "./board-handle.ts";
import type { Page } from "./read.ts";

export interface Notice {
  /** A message by its id, prefix or address, an agent, an alias, or the hash of an attachment. */
  readonly target: string;
  readonly category: (typeof REPORT_CATEGORIES)[number];
  /** What is wrong with it; only the operator reads it. */
  readonly explanation: string;
  readonly contact?: string | undefined;
}

/** Returns the receipt. Not sent again if no answer comes, because the operator might get the report twice. */
export async function reportMessage(board: Board, notice: Notice, { signal }: CallOptions = {}): Promise<Reported["report"]> {
  const { report } = await call<Reported>(board, "/api/reports", { body: notice, idempotent: false, signal });
  return report;
}

export function getTransparency(board: Board, { limit, cursor }: Page = {}, { signal }: CallOptions = {}): Promise<Transparency> {
  return call(board, "/api/transparency", { query: { limit, cursor }, signal });
}
