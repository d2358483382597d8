// Replays a board's log without trusting it: checks each entry against the one before, and the end against the board's signature.
import { DAY_MS } from "../core/durations.ts";
import { ANNOUNCED_DAYS, BOARD_KEYS, changeText, type KeyChange, lineAt, statementOfChange } from "../core/protocol/board-key-change.ts";
import { PUBLIC_KEY, SIGNATURE, unpadded } from "../core/protocol/encoding.ts";
import { contentText, entryText, GENESIS } from "../core/log/entry-text.ts";
import { jsonIn } from "../core/text/json-in.ts";
import type { Change, Checkpoint } from "./response-types.ts";
import { requireKeyChange, requireKeyChanges } from "./verify-key-changes.ts";
import type { CallOptions } from "./call.ts";
import type { Board } from "./board-handle.ts";
import { Deliveries, type Delivery, type PrincipalOf } from "./delivery-state-from-log.ts";
import { agentId, messageId, sha256Hex } from "./message-and-agent-ids.ts";
import { getChanges, getCheckpoint } from "./read.ts";
import { type RawMessage, requireSignature, verifyEnvelope } from "./verify-envelope.ts";

export type LogFaultKind = "checkpoint" | "order" | "prev" | "digest" | "hash" | "id" | "signature" | "keys" | "head";

/** The first fault of the log, and its seq. */
export class LogFault extends Error {
  override readonly name = "LogFault";
  readonly what: LogFaultKind;
  readonly seq: number;
  constructor(what: LogFaultKind, seq: number, message: string) {
    super(`${message} (seq ${seq})`);
    this.what = what;
    this.seq = seq;
  }
}

/** Throws this fault in place of any other error. */
export const asFault =
  (...fault: ConstructorParameters<typeof LogFault>) =>
  (): never => {
    throw new LogFault(...fault);
  };

/** A position in the log: all that a reader must store to notice a rewritten history next time. */
export interface LogHead {
  readonly seq: number;
  readonly hash: string;
}

export interface VerifyLogOptions extends CallOptions {
  /** The end of an earlier replay, which the log must contain. */
  readonly since?: LogHead | undefined;
  /** The board's public key, if the reader knows it. */
  readonly pk?: string | undefined;
  /** Statements about the board's keys that earlier replays have seen in its log. */
  readonly announced?: readonly string[] | undefined;
  /** Whether to check ids and signatures of messages too. True unless given. */
  readonly content?: boolean | undefined;
  /** An audit that sees every checked entry and gives its verdict at the end, such as KeyAudit, which replays key operations. */
  readonly audit?: LogAudit | undefined;
  readonly onProgress?: ((progress: { readonly seq: number; readonly of: number }) => void) | undefined;
}

export interface LogAudit {
  take(entry: Change): void;
  /** Throws a LogFault. `isWhole`: the log was seen from its first entry on. `now` in Unix milliseconds. */
  finish(isWhole: boolean, now: number): void | Promise<void>;
  readonly principalOf: PrincipalOf;
}

export interface VerifiedLog extends LogHead {
  /** The seq after which the replay began: 0 if it saw the log from its beginning. */
  readonly after: number;
  readonly checkpoint: Checkpoint;
  /** The delivery states of live messages, as far as the replay saw them; only of messages with content. */
  readonly deliveries: ReadonlyMap<string, Delivery>;
}

/** Replays the log up to the checkpoint; returns the state at the end, or throws a LogFault. */
export async function verifyLog(board: Board, options: VerifyLogOptions = {}): Promise<VerifiedLog> {
  const { since, content = true, signal, audit, onProgress } = options;
  const checkpoint = await getCheckpoint(board, options);
  await requireCheckpoint(checkpoint, options.pk);
  if (since !== undefined && checkpoint.seq < since.seq) throw new LogFault("head", since.seq, "The board signs an older head than before");
  let head: LogHead = since ?? { seq: 0, hash: GENESIS };
  let after = head.seq;
  const deliveries = new Deliveries();
  const announced = new Map<string, number>();
  while (head.seq < checkpoint.seq) {
    const query = { after: head.seq, limit: 1000, ...(content ? { include: ["raw"] as const } : {}) };
    const { changes, oldest_seq: oldest } = await getChanges(board, query, { signal });
    const [first] = changes;
    if (oldest > head.seq + 1) {
      // The board drops old entries, so the first remaining one refers to a hash that nobody can check any more.
      if (since !== undefined) throw new LogFault("order", since.seq + 1, "The board no longer has the entries after the earlier replay");
      head = first === undefined ? checkpoint : { seq: oldest - 1, hash: first.prev };
      after = head.seq;
    }
    if (first === undefined) break;
    for (const entry of changes) {
      if (head.seq >= checkpoint.seq) break;
      head = await requireEntry(head, entry);
      if (entry.type === BOARD_KEYS) announced.set(entry.digest, Date.parse(entry.at));
      if (content) deliveries.take(entry);
      if (content) audit?.take(entry);
    }
    onProgress?.({ seq: head.seq, of: checkpoint.seq });
  }
  requireHead(head, checkpoint);
  if (since !== undefined || after === 0) requireAnnounced(checkpoint, new Set(options.announced), announced);
  await audit?.finish(after === 0, timeOf(checkpoint));
  return { seq: head.seq, hash: head.hash, after, checkpoint, deliveries: deliveries.states(audit?.principalOf) };
}

/**
 * Accepts a new key of the board only if its log announced it, days ahead. `known` has statements of earlier replays, `announced` the times
 * of announcements by their digests: the detail of an old one is erased, and its digest is that of the exact text.
 */
function requireAnnounced({ seq, keys = [] }: Checkpoint, known: ReadonlySet<string>, announced: ReadonlyMap<string, number>): void {
  const isAnnounced = (key: KeyChange): boolean =>
    isAhead(statementOfChange(key).from, announced.get(sha256Hex(changeText(key))) ?? Infinity);
  if (keys.some((key) => !known.has(key.statement) && !isAnnounced(key)))
    throw new LogFault("keys", seq, "The board shows a new key that its log did not announce");
}

/** Checks the checkpoint alone: its fields are those of its payload, and its key signed the payload. */
export async function requireCheckpoint(checkpoint: Checkpoint, known?: string): Promise<void> {
  const { payload, sig, pk, board, seq, hash, next, keys = [] } = checkpoint;
  const fault = (message: string): LogFault => new LogFault("checkpoint", seq, message);
  const unsigned = asFault("checkpoint", seq, "A change of the board's key is not signed by both keys");
  const changes = await requireKeyChanges(keys, "board").catch(unsigned);
  const first = changes[0]?.old ?? unpadded(pk);
  if (known !== undefined && ![first, ...changes.map((one) => one.new)].includes(unpadded(known)))
    throw fault("The checkpoint is signed by another key than the board's");
  if (!PUBLIC_KEY.test(pk) || !SIGNATURE.test(sig)) throw fault("The checkpoint's key or signature is not encoded as required");
  if (agentId(first) !== board || changes.some((one) => one.board !== board))
    throw fault("The checkpoint names a board that does not belong to its key");
  const stated = headIn(payload);
  if (stated?.seq !== seq || stated.hash !== hash) throw fault("The checkpoint's fields differ from the signed payload");
  const line = lineAt(first, changes, stated.ts ?? 0);
  if (line.current !== unpadded(pk)) throw fault("The checkpoint is signed by another key than the one in force at its time");
  if (line.next?.new !== next?.pk) throw fault("The checkpoint is not signed by the key that is announced");
  for (const [by, signed] of [[pk, sig] as const, ...(next === undefined ? [] : [[next.pk, next.sig] as const])])
    await requireSignature(by, payload, signed).catch(asFault("checkpoint", seq, "The checkpoint's signature is invalid"));
}

/** When the head was signed, or now, whichever is later: a board whose log does not grow signs no new head, but may erase what is old. */
const timeOf = ({ payload }: Checkpoint): number => Math.max((headIn(payload)?.ts ?? 0) * 1000, Date.now());

const headIn = (payload: string) => jsonIn(payload) as Partial<LogHead & { readonly ts: number }> | null | undefined;

/** Checks the entry as the next one after `head`, whatever its type; returns the new head. */
export async function requireEntry(head: LogHead, { at, raw, ...entry }: Change): Promise<LogHead> {
  const { seq, type, id, detail, digest, prev, hash } = entry;
  if (seq !== head.seq + 1) throw new LogFault("order", head.seq + 1, `Entry ${seq} is not the next one`);
  if (prev !== head.hash) throw new LogFault("prev", seq, "The entry does not continue the one before");
  if (digest !== digestOf(type, detail, raw, digest))
    throw new LogFault("digest", seq, "The digest does not match the content of the entry");
  if (hash !== sha256Hex(entryText({ ...entry, at: Date.parse(at) }))) throw new LogFault("hash", seq, "The hash does not match the entry");
  if (raw !== undefined && raw !== null) await requireContent(seq, id, raw);
  if (type === "ack" && detail !== null) await requireAck(seq, id, detail);
  if (KEY_OPERATION.test(type) && detail !== null) await requireKeyOperation(seq, type, id, detail);
  if (type === BOARD_KEYS && detail !== null) await requireAnnouncement(seq, Date.parse(at), id, detail);
  return { seq, hash };
}

/** If content or detail was erased, only its digest is left. */
function digestOf(type: string, detail: string | null, raw: Change["raw"], stated: string): string {
  if (type === "create") return raw === undefined || raw === null ? stated : sha256Hex(contentText(raw));
  return detail === null ? stated : sha256Hex(detail);
}

async function requireContent(seq: number, id: string, raw: NonNullable<Change["raw"]>): Promise<void> {
  if (messageId(raw.payload) !== id) throw new LogFault("id", seq, "The id does not match the message");
  await verifyEnvelope(raw).catch(asFault("signature", seq, "The message's signature is invalid"));
}

/** An acknowledgement must be signed by its agent. */
async function requireAck(seq: number, agent: string, detail: string): Promise<void> {
  const invalid = asFault("signature", seq, "The acknowledgement's signature is invalid");
  const signed = await verifyEnvelope(JSON.parse(detail) as RawMessage).catch(invalid);
  const { op } = signed.payload as { readonly op?: unknown };
  if (signed.author !== agent || op !== "ack") throw new LogFault("id", seq, "The entry names another agent than its acknowledgement");
}

/** Checks what the entry alone shows. */
async function requireKeyOperation(seq: number, type: string, agent: string, detail: string): Promise<void> {
  const invalid = asFault("signature", seq, "A signature of the key operation is invalid");
  const envelope = JSON.parse(detail) as RawMessage & { readonly child_sig?: string };
  const signed = await verifyEnvelope(envelope).catch(invalid);
  const { agent: about, op, child } = signed.payload as { readonly agent?: unknown; readonly op?: unknown; readonly child?: unknown };
  if (about !== agent || `key_${String(op)}` !== type) throw new LogFault("id", seq, "The entry differs from its key operation");
  if (op !== "delegate") return;
  if (typeof child !== "string" || !PUBLIC_KEY.test(child) || !SIGNATURE.test(envelope.child_sig ?? "")) return invalid();
  await requireSignature(child, envelope.payload, envelope.child_sig ?? "").catch(invalid);
}

/** A new key of the board or of its log: signed by both, and days ahead. */
async function requireAnnouncement(seq: number, at: number, board: string, detail: string): Promise<void> {
  const invalid = asFault("signature", seq, "A signature of the announced key is invalid");
  const stated = await requireKeyChange(JSON.parse(detail) as KeyChange).catch(invalid);
  if (stated.board !== board || !isAhead(stated.from, at))
    throw new LogFault("keys", seq, "The announced key is of another board, or takes effect too early");
}

/** Whether a key that signs from this Unix second on was announced early enough. */
const isAhead = (from: number, announcedAt: number): boolean => from * 1000 >= announcedAt + ANNOUNCED_DAYS * DAY_MS;
const KEY_OPERATION = /^key_(?:commit|rotate|revoke|delegate|undelegate|veto)$/;

export function requireHead(head: LogHead, checkpoint: LogHead): void {
  if (head.seq !== checkpoint.seq || head.hash !== checkpoint.hash)
    throw new LogFault("head", checkpoint.seq, "The log does not end at the head that the board signed");
}
