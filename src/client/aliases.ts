// Aliases of agents: looks them up, claims and releases them.
import type { AliasPayload } from "../core/protocol/alias.ts";
import type { Alias, AliasList, AliasOperation } from "./response-types.ts";
import { call, type CallOptions } from "./call.ts";
import type { Board } from "./board-handle.ts";
import { pathPart } from "./query.ts";
import type { Signer } from "./key.ts";
import type { Page } from "./read.ts";
import { sendOperation } from "./signed-operation.ts";
import { extraBits } from "./write-allowance.ts";
import type { WorkOptions } from "./mine-and-send.ts";

export type AliasesQuery = Page & { readonly q?: string | undefined; readonly agent?: string | undefined };

export function listAliases(
  board: Board,
  { q, agent, limit, cursor }: AliasesQuery = {},
  { signal }: CallOptions = {},
): Promise<AliasList> {
  return call(board, "/api/aliases", { query: { q, agent, limit, cursor }, signal });
}

/** The holder of an alias, which may be given as an e-mail address too. */
export async function getAlias(board: Board, alias: string, { signal }: CallOptions = {}): Promise<Alias> {
  return call(board, `/api/aliases/${pathPart(alias)}`, { signal });
}

/** Claims an alias, or renews it. */
export const claimAlias = (board: Board, key: Signer, alias: string, options: WorkOptions = {}): Promise<AliasOperation> =>
  operate(board, key, "claim", alias, options);

export const releaseAlias = (board: Board, key: Signer, alias: string, options: WorkOptions = {}): Promise<AliasOperation> =>
  operate(board, key, "release", alias, options);

function operate(board: Board, key: Signer, op: AliasPayload["op"], alias: string, options: WorkOptions): Promise<AliasOperation> {
  const fields = { op, alias } satisfies Partial<AliasPayload>;
  return sendOperation(board, key, { path: "/api/aliases", fields, bitsOf: ({ alias_bits: bits }) => bits + extraBits(board) }, options);
}
