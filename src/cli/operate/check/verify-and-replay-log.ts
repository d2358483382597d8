// Reads the log from its first entry to its last: checks the chain, the content, every signature, and replays the entries.
import { NOTHING } from "../../../core/guard/risk-and-copies.ts";
import { detailDigest, type Entry, entryHash } from "../../../core/log/chain.ts";
import { contentText } from "../../../core/log/entry-text.ts";
import type { StoredKeyOp } from "../../../core/keys/key-state.ts";
import { isKeyOperation } from "../../../core/keys/replay-key-operations.ts";
import { LIMITS } from "../../../core/protocol/limits.ts";
import { DAY_MS } from "../../../core/durations.ts";
import { agentId, messageId } from "../../../core/protocol/message-and-agent-ids.ts";
import type { Payload } from "../../../core/protocol/payload.ts";
import { sha256Hex } from "../../../core/protocol/node-sha256.ts";
import { RELS } from "../../../core/protocol/vocabulary.ts";
import { workBits } from "../../../core/protocol/proof-of-work.ts";
import type { ThreadPlace } from "../../../core/message/arrive.ts";
import type { Arrival, Tombstone } from "../../../core/message/message-state.ts";
import { ackIn, type ReplayedEntry } from "../../../core/message/replay.ts";
import { jsonIn } from "../../../core/text/json-in.ts";
import { BEFORE_ANY_EXPIRY, type Found, type LogEntry, type Raw, type Store } from "../../../ports/store.ts";
import type { Findings } from "./findings.ts";
import type { ReplayedBoard } from "./replayed-board.ts";

const ENTRIES_PER_READ = 500;

export type IsSigned = (raw: Raw, pk: string) => Promise<boolean>;

export interface History {
  readonly entries: number;
  /** The seqs of messages whose content exists, by id. */
  readonly messages: ReadonlyMap<string, number>;
  /** The ids of all messages whose entries are kept. */
  readonly created: ReadonlySet<string>;
  /** The entries of each such message's new statuses, by id. */
  readonly statuses: ReadonlyMap<string, readonly Entry[]>;
  /** Entries that are not about the content of messages, in order. */
  readonly others: readonly Entry[];
  /** The log has messages of which not even a tombstone is left, so the totals of agents cannot be counted any more. */
  readonly forgotten: boolean;
  /** The last entry whose detail was erased because it is old; 0 if there is none. */
  readonly erased: number;
  /** The authors of messages that the operator removed: the effects of those messages are unknown. */
  readonly removedOf: ReadonlySet<string>;
}

export async function readHistory(
  store: Store,
  scratch: ReplayedBoard,
  keyOps: readonly StoredKeyOp[],
  isSigned: IsSigned,
  now: number,
  findings: Findings,
): Promise<History> {
  const oldest = await store.oldestSeq();
  const details = new Map(keyOps.map(({ seq, detail }) => [seq, detail]));
  const messages = new Map<string, number>();
  const statuses = new Map<string, Entry[]>();
  const others: Entry[] = [];
  const created = new Set<string>();
  const removedOf = new Set<string>();
  const forgettable = now - LIMITS.gone_days * DAY_MS;
  const erasable = now - LIMITS.log_days * DAY_MS;
  let forgotten = false;
  let erased = 0;
  let entries = 0;
  let last: Entry | undefined;
  for (let after = oldest - 1; ;) {
    const batch = await store.entries(after, ENTRIES_PER_READ, BEFORE_ANY_EXPIRY);
    if (batch.length === 0) break;
    const found = await store.findAll([...new Set(batch.map(({ id }) => id))], BEFORE_ANY_EXPIRY);
    const checked = await Promise.all(
      batch.map((entry) => contentOf(entry, found.get(entry.id), { store, isSigned, forgettable, findings })),
    );
    for (const entry of batch) await checkAck(entry, isSigned, findings);
    for (const [i, entry] of batch.entries()) {
      checkLink(entry, last ?? { seq: after, at: 0 }, erasable, findings);
      const known = found.get(entry.id);
      if (checked[i] !== undefined) messages.set(entry.id, entry.seq);
      if (entry.type === "create") created.add(entry.id);
      if (entry.type === "create" && known === undefined) forgotten = true;
      if (known !== undefined && "tombstone" in known && known.tombstone.reason === "removed") removedOf.add(known.tombstone.author);
      if (entry.type === "status" && known !== undefined && "stored" in known && known.stored.state.seq < entry.seq)
        statuses.set(entry.id, [...(statuses.get(entry.id) ?? []), entry]);
      if (isErased(entry)) erased = entry.seq;
      else if (entry.type !== "create" && entry.type !== "status") others.push(entry);
      last = entry;
    }
    const joined = checked.flatMap((arrival) => (arrival === undefined ? [] : joinedBy(arrival)));
    const gone = await goneWithoutTrace(
      store,
      joined.filter((id) => !messages.has(id) && (created.has(id) || oldest > 1)),
    );
    const replayed = batch.map((entry, i): ReplayedEntry => {
      const [known, arrival] = [found.get(entry.id), checked[i]];
      const place = arrival !== undefined && joinedBy(arrival).some((id) => gone.has(id)) ? placeOf(known) : undefined;
      return {
        // An old entry has lost its detail, but the operation is kept.
        entry: { ...entry, detail: entry.detail ?? details.get(entry.seq) ?? null },
        arrival,
        tombstone: tombstoneFor(entry, known),
        ...(place === undefined ? {} : { place }),
      };
    });
    scratch.play(replayed, ({ entry }, error) => {
      // The state that a key operation needs may be older than the oldest entry that is kept.
      if (oldest === 1 || !isKeyOperation(entry.type)) findings.add(`entry ${entry.seq}`, `cannot be replayed: ${error.message}`);
    });
    entries += batch.length;
    after = batch.at(-1)?.seq ?? after;
  }
  await checkStored(store, messages, findings);
  return { entries, messages, created, statuses, others, forgotten, erased, removedOf };
}

const joinedBy = ({ payload: { refs = [] } }: Arrival): readonly string[] => refs.flatMap(({ rel, id }) => (RELS[rel].thread ? [id] : []));

/** Those of these messages that have ended so long ago that their tombstones were deleted. */
async function goneWithoutTrace(store: Store, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await store.findAll([...new Set(ids)], BEFORE_ANY_EXPIRY);
  return new Set(ids.filter((id) => !found.has(id)));
}

function placeOf(found: Found | undefined): ThreadPlace | undefined {
  return found !== undefined && "stored" in found ? found.stored.state : undefined;
}

/** An acknowledgement must be by the agent that its entry names, and must be one that an agent may give. */
async function checkAck(entry: LogEntry, isSigned: IsSigned, findings: Findings): Promise<void> {
  if (entry.type !== "ack") return;
  const where = `entry ${entry.seq}`;
  try {
    const ack = ackIn(entry);
    if (ack === undefined) return;
    if (ack.agent !== entry.id) findings.add(where, `is signed by ${ack.agent}`);
    if (!(await isSigned(ack.envelope, ack.payload.pk))) findings.add(where, "has an invalid signature");
  } catch (error) {
    findings.add(where, `holds no acknowledgement: ${(error as Error).message}`);
  }
}

const isErased = ({ type, detail, digest }: Entry): boolean => type !== "create" && detail === null && digest !== "-";

function checkLink(entry: LogEntry, before: Pick<Entry, "seq" | "at">, erasable: number, findings: Findings): void {
  const where = `entry ${entry.seq}`;
  if (entry.seq !== before.seq + 1) findings.add(where, `follows entry ${before.seq}: the entries between them are missing`);
  if (entry.at < before.at) findings.add(where, "is older than the entry before it");
  if (entryHash(entry) !== entry.hash) findings.add(where, "has a hash that does not match it and the entry before it");
  if (isErased(entry) && entry.at <= erasable) return;
  const digest =
    entry.type === "create" ? (entry.raw === null ? entry.digest : sha256Hex(contentText(entry.raw))) : detailDigest(entry.detail);
  if (digest !== entry.digest)
    findings.add(where, `has a ${entry.type === "create" ? "content" : "detail"} that does not match its digest`);
}

interface ContentCheck {
  readonly store: Pick<Store, "pastSeq">;
  readonly isSigned: IsSigned;
  /** Messages from before this time may have left no tombstone. */
  readonly forgettable: number;
  readonly findings: Findings;
}

/** The message that an entry created, if its content exists and can be read. */
async function contentOf(
  { type, id, seq, at, raw }: LogEntry,
  found: Found | undefined,
  { store, isSigned, forgettable, findings }: ContentCheck,
): Promise<Arrival | undefined> {
  if (type !== "create") return undefined;
  const where = `message ${id}`;
  const stored = found !== undefined && "stored" in found ? found.stored : undefined;
  if (raw === null) {
    // A tombstone is kept for a limited time. After that, only the entry's place in the log is known.
    if (found === undefined && at <= forgettable) {
      if (((await store.pastSeq(id)) ?? 0) < seq) findings.add(where, `of entry ${seq} is not found in the log by its id`);
      return undefined;
    }
    // A message that was restored and posted again has its content under a later entry.
    if (found === undefined || (stored !== undefined && stored.state.seq === seq))
      findings.add(where, `of entry ${seq} has neither content nor tombstone`);
    return undefined;
  }
  if (messageId(raw.payload) !== id) findings.add(where, "has a payload with another id");
  const payload = jsonIn(raw.payload) as Payload | undefined;
  if (payload === undefined) {
    findings.add(where, "has a payload that cannot be read");
    return undefined;
  }
  if (!(await isSigned(raw, payload.pk))) findings.add(where, "has an invalid signature");
  const bits = payload.kind === "email" ? 0 : workBits(id, raw.nonce);
  // The number of copies and the risk were noted when the message arrived. The log does not have them.
  const { risk, copies, spreading, assisted } = stored?.state ?? { ...NOTHING, assisted: false };
  return { id, author: agentId(payload.pk), payload, raw, bits, assisted, blobs: {}, noticed: { risk, copies, spreading } };
}

/** What is left of a message. For a message that came back, what must have been left before. */
function tombstoneFor({ seq, at, type }: LogEntry, found: Found | undefined): Tombstone | undefined {
  if (found === undefined || "tombstone" in found) return found?.tombstone;
  const { id, author, kind, root, seq: current } = found.stored.state;
  if (type !== "create" || seq === current) return undefined;
  return { id, seq, author, kind, root, receivedAt: at, reason: "removed", at, statement: null, trace: null, restored: true, changed: seq };
}

/** Everything in the store must be in the log. */
async function checkStored(store: Store, messages: ReadonlyMap<string, number>, findings: Findings): Promise<void> {
  for (let after = 0; ;) {
    const batch = await store.dump(after, Number.MAX_SAFE_INTEGER, BEFORE_ANY_EXPIRY);
    for (const { state } of batch)
      if (messages.get(state.id) !== state.seq)
        findings.add(`message ${state.id}`, `is stored under ${state.seq}, which is not in the log`);
    const last = batch.at(-1);
    if (last === undefined) return;
    after = last.state.seq;
  }
}
