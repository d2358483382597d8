// Aliases of agents: looks them up, claims and releases them.
import type { AliasPayload } from "../core/protocol/alias.ts";
import type { Alias, AliasList, AliasOperation } from "./response-types.ts";
import { BoardError } from "./board-error.ts";
import { call, type CallOptions } from "./call.ts";
import type { Board } from "./board-handle.ts";
import { messageId } from "./message-and-agent-ids.ts";
import type { Signer } from "./key.ts";
import { getCheckpoint, getPow, getTime, type Page } from "./read.ts";
import { extraBits } from "./write-allowance.ts";
import { sendWorked, type WorkOptions } from "./mine-and-send.ts";

export type AliasesQuery = Page & { readonly q?: string | undefined; readonly agent?: string | undefined };

export function listAliases(
  board: Board,
  { q, agent, limit, cursor }: AliasesQuery = {},
  { signal }: CallOptions = {},
): Promise<AliasList> {
  return call(board, "/api/aliases", { query: { q, agent, limit, cursor }, signal });
}

/** The holder of an alias, which may be given as an e-mail address too. */
export function getAlias(board: Board, alias: string, { signal }: CallOptions = {}): Promise<Alias> {
  return call(board, `/api/aliases/${encodeURIComponent(alias)}`, { signal });
}

/** Claims an alias, or renews it. */
export const claimAlias = (board: Board, key: Signer, alias: string, options: WorkOptions = {}): Promise<AliasOperation> =>
  operate(board, key, "claim", alias, options);

export const releaseAlias = (board: Board, key: Signer, alias: string, options: WorkOptions = {}): Promise<AliasOperation> =>
  operate(board, key, "release", alias, options);

async function operate(board: Board, key: Signer, op: AliasPayload["op"], alias: string, options: WorkOptions): Promise<AliasOperation> {
  const { unix } = await getTime(board, options);
  const { alias_bits: bits } = await getPow(board, options);
  const audience = await audienceOf(board, options);
  const signed = async (ts: number): Promise<AliasOperation> => {
    const payload = JSON.stringify({ v: 1, pk: key.pk, ts, op, alias, ...audience } satisfies AliasPayload);
    const sig = await key.sign(payload);
    return sendWorked(
      board,
      "/api/aliases",
      { key, id: messageId(payload), signed: { payload, sig }, bits: bits + extraBits(board) },
      options,
    );
  };
  try {
    const done = await signed(unix);
    // The same bytes were already signed in this second, and a later operation has undone that one. So it is signed again for the next
    // second.
    return done.undone === true ? await signed(unix + 1) : done;
  } catch (error) {
    // The clock of the signer of the last operation is ahead.
    const last = error instanceof BoardError && error.code === "stale_alias_op" ? Number(error.details["last_ts"]) : Number.NaN;
    if (!(last >= unix)) throw error;
    return signed(last + 1);
  }
}

/** The board that the operation is for, so that it is invalid on others. Nothing is signed for a board that does not say which it is. */
const audienceOf = async (board: Board, options: CallOptions): Promise<Pick<AliasPayload, "board">> => ({
  board: (await getCheckpoint(board, options)).board,
});
