// Checks receipts and heads of a board's tree: offline, or against the last head that was verified.
import { type AnnouncedKey, BOARD_KEYS, changeText } from "../core/protocol/board-key-change.ts";
import { contentText } from "../core/log/entry-text.ts";
import { portableSha256 } from "../core/protocol/portable-sha256.ts";
import { type Accepted, acceptCheckpoint, acceptProof } from "../core/tlog/verify-against-policy.ts";
import { parseCheckpoint } from "../core/tlog/checkpoint.ts";
import { requireConsistency } from "../core/tlog/merkle.ts";
import { parseNote } from "../core/tlog/note.ts";
import { planConsistency, readLater } from "../core/tlog/proofs-from-tiles.ts";
import { parsePolicy } from "../core/tlog/policy.ts";
import { parseProof } from "../core/tlog/proof-text.ts";
import { formatVerifierKey, parseVerifierKey } from "../core/tlog/key.ts";
import type { Ed25519Verify } from "../core/tlog/signature.ts";
import { type Tile, tilePath } from "../core/tlog/tile.ts";
import { TlogError } from "../core/tlog/tlog-error.ts";
import type { TlogKey } from "./response-types.ts";
import { requireKeyChanges } from "./verify-key-changes.ts";
import { toBase64url } from "./bytes.ts";
import { BoardError } from "./board-error.ts";
import { call, callBytes, callText, type CallOptions } from "./call.ts";
import type { Board } from "./board-handle.ts";
import { pathPart } from "./query.ts";
import { messageId, sha256Hex } from "./message-and-agent-ids.ts";
import type { RawMessage } from "./verify-envelope.ts";

export { TlogError } from "../core/tlog/tlog-error.ts";

/** Verifies with WebCrypto, which browsers and Node share. */
export const holds: Ed25519Verify = async (publicKey, message, signature) => {
  const bytes = (some: Uint8Array): Uint8Array<ArrayBuffer> => Uint8Array.from(some);
  const key = await crypto.subtle.importKey("raw", bytes(publicKey), "Ed25519", false, ["verify"]).catch((error: Error) => {
    // If the platform cannot check, that must not be reported as a wrong signature.
    if (error.name === "NotSupportedError") throw error;
    return undefined;
  });
  return key !== undefined && crypto.subtle.verify("Ed25519", key, bytes(signature), bytes(message));
};
const CRYPTO = { sha256: portableSha256, verify: holds };

/** A log entry whose presence was proved. */
export interface ProvedEntry {
  readonly origin: string;
  readonly seq: number;
  readonly at: string;
  readonly type: string;
  /** A message id, an alias or an agent id. */
  readonly id: string;
  readonly digest: string;
  /** How many entries the log had in the proof. */
  readonly size: number;
  /** Witnesses of the policy, with the time of each signature. */
  readonly witnesses: readonly { readonly name: string; readonly at: string }[];
}

/**
 * Checks a proof by a policy that the caller trusts, offline. With `message` it also checks that the entry is about this message,
 * as it was stored. Throws a TlogError if any check fails.
 */
export async function verifyReceipt(proof: string, policy: string, message?: RawMessage): Promise<ProvedEntry> {
  const { extra } = parseProof(proof);
  if (extra === undefined) throw new TlogError("malformed", "The proof has no `extra` line: it does not say what it proves.");
  const accepted = await acceptProof(proof, extra, parsePolicy(policy, portableSha256), CRYPTO);
  const entry = entryIn(new TextDecoder().decode(extra));
  if (entry.seq !== accepted.index + 1)
    throw new TlogError("proof", `The proof is for index ${accepted.index}, but its entry says seq ${entry.seq}.`);
  if (message !== undefined) requireMessage(entry, message);
  return { ...entry, ...headOf(accepted) };
}

const headOf = ({ checkpoint: { origin, size }, witnesses }: Accepted): Pick<ProvedEntry, "origin" | "size" | "witnesses"> => ({
  origin,
  size,
  witnesses: witnesses.map(({ key: { name }, time = 0 }) => ({ name, at: new Date(time * 1000).toISOString() })),
});

function entryIn(leaf: string): Pick<ProvedEntry, "seq" | "at" | "type" | "id" | "digest"> {
  const [, seq = "", at = "", type = "", id = "", digest = "", end, ...more] = leaf.split("\n");
  if (end !== "" || more.length > 0 || !/^[1-9][0-9]*$/.test(seq) || !/^[0-9]+$/.test(at))
    throw new TlogError("malformed", "The proof is not about an entry of a board's log.");
  return { seq: Number(seq), at: new Date(Number(at)).toISOString(), type, id, digest };
}

function requireMessage({ type, id, digest }: Pick<ProvedEntry, "type" | "id" | "digest">, message: RawMessage): void {
  if (type !== "create") throw new TlogError("proof", `The proof is about an entry of type ${type}, not about a message.`);
  if (id !== messageId(message.payload)) throw new TlogError("proof", "The proof is about another message.");
  if (digest !== sha256Hex(contentText(message)))
    throw new TlogError("proof", "The proof is about this message with another `sig` or `nonce`: give them as the board stored them.");
}

/** The proof in a text: the proof itself, or the answer to a post that holds it. */
export function proofIn(given: string): string {
  if (!given.trimStart().startsWith("{")) return given;
  const { receipt } = JSON.parse(given) as { receipt?: { proof?: string } | null };
  if (typeof receipt?.proof === "string") return receipt.proof;
  throw new TlogError("malformed", "It has no receipt: post with receipt=1, or fetch its proof_url.");
}

/** The signed parts of a message, also as an answer of the board has them. */
export function rawIn(text: string): RawMessage {
  const given = JSON.parse(text) as Partial<RawMessage> & { readonly raw?: RawMessage | null };
  const { payload, sig, nonce } = given.raw ?? given;
  if (typeof payload !== "string" || typeof sig !== "string" || typeof nonce !== "string")
    throw new TlogError("malformed", "The message needs its payload, sig and nonce, as the board shows them with include=raw.");
  return { payload, sig, nonce };
}

/** The policy that a board serves: a caller that stores it trusts the board this one time. */
export const getPolicy = (board: Board, options: CallOptions = {}): Promise<string> => callText(board, "/tlog/policy", options);
export const getMessageProof = async (board: Board, id: string, options: CallOptions = {}): Promise<string> =>
  callText(board, `/api/messages/${pathPart(id)}/proof`, options);
export const getEntryProof = (board: Board, seq: number, options: CallOptions = {}): Promise<string> =>
  callText(board, `/api/changes/${seq}/proof`, options);

export interface VerifiedHead {
  readonly origin: string;
  readonly size: number;
  readonly witnesses: ProvedEntry["witnesses"];
  /** The signed note: store it, and pass it to the next call. */
  readonly note: string;
  /** The policy that accepted it: the given one, with the log's new key if that has changed. Store it too. */
  readonly policy: string;
}

/**
 * Verifies the board's head: signed as the policy requires, or with a key that the policy's key announced, and consistent with `known`,
 * the note that was verified last. A TlogError with the fault `history` means that the log changed entries instead of only growing: keep
 * `known` and `cause`, the note that the board signs now.
 */
export async function verifyHead(board: Board, given: string, known?: string, options: CallOptions = {}): Promise<VerifiedHead> {
  const note = await callText(board, "/tlog/checkpoint", options);
  const accept = (text: string): Promise<Accepted> => acceptCheckpoint(parseNote(note), parsePolicy(text, portableSha256), holds);
  let policy = given;
  const accepted = await accept(given).catch(async (error: unknown) => {
    policy = await followedPolicy(board, given, options).catch(() => given);
    if (policy === given) throw error;
    return accept(policy);
  });
  if (known === undefined) return { ...headOf(accepted), note, policy };
  const before = parseCheckpoint(parseNote(known).text);
  const now = accepted.checkpoint;
  try {
    if (before.origin !== now.origin) throw new TlogError("origin", `The log is ${now.origin} now; it was ${before.origin}.`);
    // A board may show an older head that more witnesses have signed; then the known head must be consistent with that one.
    const [older, newer] = before.size <= now.size ? [before, now] : [now, before];
    const proof = await readLater(planConsistency(older.size, newer.size), (tile) => readTile(board, tile, options), portableSha256);
    requireConsistency(older, newer, proof, portableSha256);
  } catch (error) {
    const broken = error instanceof TlogError && (error.fault === "origin" || error.fault === "proof");
    // A board that shows an older head still has the tiles of the larger tree that it signed.
    const isSmaller = error instanceof BoardError && error.status === 404 && now.size < before.size;
    if (isSmaller) throw new TlogError("history", `The log has ${now.size} entries now; it had ${before.size}.`, { cause: note });
    throw broken ? new TlogError("history", error.message, { cause: note }) : error;
  }
  if (now.size < before.size) return { ...headOf(accepted), note: known, size: before.size, policy: given };
  return { ...headOf(accepted), note, policy };
}

/** The policy with the log's present key instead of the one that it names, if that one has announced the present key. */
async function followedPolicy(board: Board, policy: string, options: CallOptions): Promise<string> {
  for (const { key } of parsePolicy(policy, portableSha256).logs) {
    const known = formatVerifierKey(key);
    const now = await followLogKey(board, known, options);
    if (now !== undefined) return policy.replace(known, now);
  }
  return policy;
}

/**
 * The log's present vkey, if it follows from a known one by changes that both keys signed and that the log itself announced publicly;
 * otherwise undefined.
 */
export async function followLogKey(board: Board, known: string, options: CallOptions = {}): Promise<string | undefined> {
  const { vkey, keys = [] } = await call<TlogKey>(board, "/tlog/key", options);
  const [before, now] = [parseVerifierKey(known, portableSha256), parseVerifierKey(vkey, portableSha256)];
  if (before.name !== now.name) return undefined;
  let pk = toBase64url(before.publicKey);
  for (const [i, change] of (await requireKeyChanges(keys, "log")).entries()) {
    if (change.old !== pk || pk === toBase64url(now.publicKey)) continue;
    await requireAnnounced(board, keys[i]!, vkey, options);
    pk = change.new;
  }
  return pk === toBase64url(now.publicKey) && vkey !== known ? vkey : undefined;
}

/** Checks that the log contains it, by a proof. */
async function requireAnnounced(board: Board, change: AnnouncedKey, vkey: string, options: CallOptions): Promise<void> {
  const proof = await getEntryProof(board, change.seq, options);
  const { type, digest } = await verifyReceipt(proof, `log ${vkey} ${board.url}\nquorum none\n`);
  if (type !== BOARD_KEYS || digest !== sha256Hex(changeText(change)))
    throw new TlogError("proof", "The log did not announce its new key.");
}

export const readTile = (board: Board, tile: Tile, options: CallOptions = {}): Promise<Uint8Array> =>
  callBytes(board, `/tlog/${tilePath(tile)}`, options);
