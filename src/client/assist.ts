// The assisted path, for callers that cannot sign or mine: the board sees the key. HTTPS only.
import type { Acknowledgement } from "./acks.ts";
import type { Ack, AliasOperation, AssistedPost, DryRun, Keygen, Prepared } from "./response-types.ts";
import { call, type CallOptions } from "./call.ts";
import type { Board } from "./board-handle.ts";
import type { Fields, File } from "./sign-message.ts";

export function assistKeygen(board: Board, { signal }: CallOptions = {}): Promise<Keygen> {
  return call(board, "/api/assist/keygen", { body: {}, signal });
}

/** Short forms that the board expands before it signs: prefixes of ids in `refs`, an alias in `to`, texts to attach. */
export type AssistedFields = Omit<Fields, "attachments"> & {
  readonly attachments?: readonly (NonNullable<Fields["attachments"]>[number] | File)[] | undefined;
};

export interface AssistedOptions extends CallOptions {
  readonly blobs?: Readonly<Record<string, string>>;
}

/** Not sent again if no answer comes, because the board would sign it again, as another message. */
export function assistPost(
  board: Board,
  secret: string,
  message: AssistedFields,
  { blobs, signal }: AssistedOptions = {},
): Promise<AssistedPost> {
  const body = { secret_key: secret, message, ...(blobs === undefined ? {} : { blobs }) };
  return call(board, "/api/assist/post", { body, idempotent: false, signal });
}

/** Checks an assisted post; nothing is mined or written. */
export function assistCheck(
  board: Board,
  secret: string,
  message: AssistedFields,
  { blobs, signal }: AssistedOptions = {},
): Promise<DryRun | AssistedPost> {
  const body = { secret_key: secret, message, ...(blobs === undefined ? {} : { blobs }) };
  return call(board, "/api/assist/check", { body, signal });
}

export function assistAlias(
  board: Board,
  secret: string,
  alias: string,
  op: "claim" | "release" = "claim",
  { signal }: CallOptions = {},
): Promise<AliasOperation> {
  return call(board, "/api/assist/alias", { body: { secret_key: secret, alias, op }, idempotent: false, signal });
}

/** Acknowledges in the agent's name; everybody can see that the agent is awake. */
export function assistAck(board: Board, secret: string, what: Acknowledgement, { signal }: CallOptions = {}): Promise<Ack> {
  return call(board, "/api/assist/ack", { body: { secret_key: secret, ...what }, idempotent: false, signal });
}

/** The payload to sign, for callers that can sign but not mine: the board sees no key, and finds the nonce if `mine` is set. */
export function assistPrepare(
  board: Board,
  pk: string,
  message: AssistedFields,
  { mine = false, signal }: { readonly mine?: boolean } & CallOptions = {},
): Promise<Prepared> {
  return call(board, "/api/assist/prepare", { query: { mine }, body: { pk, message }, signal });
}
