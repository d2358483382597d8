// Operations on the keys of an agent: commit, rotate, revoke, delegate, veto.
import type { KeyPayload } from "../core/protocol/key-op.ts";
import type { KeyLine, KeyOperation } from "./response-types.ts";
import { fromBase64url } from "./bytes.ts";
import { call, type CallOptions } from "./call.ts";
import type { Board } from "./board-handle.ts";
import { pathPart } from "./query.ts";
import { sha256Hex } from "./message-and-agent-ids.ts";
import type { Signer } from "./key.ts";
import type { Page } from "./read.ts";
import { sendOperation } from "./signed-operation.ts";
import type { WorkOptions } from "./mine-and-send.ts";

type Distributed<Payload> = Payload extends unknown ? Omit<Payload, "v" | "pk" | "ts" | "board" | "agent"> : never;
/** The fields of an operation that not all operations have. */
export type KeyAct = Distributed<KeyPayload>;
type Limits = Omit<Extract<KeyAct, { readonly op: "delegate" }>, "op" | "child" | "until">;

export interface KeyOptions extends WorkOptions {
  /** The old key, for a rotation to a key that was not committed. */
  readonly old?: Signer | undefined;
  /** The child's key, for a delegation. */
  readonly child?: Signer | undefined;
}

/** The hash of a key in a commitment: the SHA-256 of its raw bytes. */
export const keyHash = ({ pk }: Pick<Signer, "pk">): string => sha256Hex(fromBase64url(pk));

/** The line of keys of an agent, and one page of its operations. */
export async function getKeys(board: Board, agent: string, { limit, cursor }: Page = {}, { signal }: CallOptions = {}): Promise<KeyLine> {
  return call(board, `/api/agents/${pathPart(agent)}/keys`, { query: { limit, cursor }, signal });
}

/** Commits to the next key, and to a recovery key that can take over from it. */
export const commitKey = (
  board: Board,
  key: Signer,
  { next, recovery }: { readonly next: string; readonly recovery?: string | undefined },
  options: WorkOptions = {},
): Promise<KeyOperation> =>
  operateKey(board, key, key.agent, { op: "commit", next, ...(recovery === undefined ? {} : { recovery }) }, options);

/** The new key takes over: at once if it was committed, else after 72 hours and only with the old key's signature. */
export const rotateKey = (
  board: Board,
  key: Signer,
  agent: string,
  fields: Omit<Extract<KeyAct, { readonly op: "rotate" }>, "op"> = {},
  options: KeyOptions = {},
): Promise<KeyOperation> => operateKey(board, key, agent, { op: "rotate", ...fields }, options);

/** Revokes the key. Messages since `from` (Unix seconds) are marked as not to be trusted. */
export const revokeKey = (board: Board, key: Signer, agent: string, from: number, options: WorkOptions = {}): Promise<KeyOperation> =>
  operateKey(board, key, agent, { op: "revoke", from }, options);

/** Lets another key act for this one until a time (Unix seconds), within limits. */
export const delegateKey = (
  board: Board,
  key: Signer,
  child: Signer,
  until: number,
  limits: Limits = {},
  options: WorkOptions = {},
): Promise<KeyOperation> => operateKey(board, key, key.agent, { op: "delegate", child: child.pk, until, ...limits }, { ...options, child });

/** `child` is its public key. */
export const undelegateKey = (board: Board, key: Signer, child: string, options: WorkOptions = {}): Promise<KeyOperation> =>
  operateKey(board, key, key.agent, { op: "undelegate", child }, options);

/** Stops a pending operation, by its id. */
export const vetoKey = (board: Board, key: Signer, agent: string, of: string, options: WorkOptions = {}): Promise<KeyOperation> =>
  operateKey(board, key, agent, { op: "veto", of }, options);

export function operateKey(board: Board, key: Signer, agent: string, act: KeyAct, options: KeyOptions = {}): Promise<KeyOperation> {
  const { old, child, ...working } = options;
  const cosigners = { old_sig: old, child_sig: child };
  return sendOperation(
    board,
    key,
    { path: "/api/keys", fields: { agent, ...act }, bitsOf: ({ key_bits: bits }) => bits, cosigners },
    working,
  );
}
