// chain.json: a piece of log with its signed head, and what a reader must notice when either was tampered with.
import { checkpointPayload } from "../src/core/log/chain-checkpoint.ts";
import { detailDigest, type Entry, entryHash, GENESIS } from "../src/core/log/chain.ts";
import type { EntryType } from "../src/core/log/entry-type.ts";
import { agentId, messageId } from "../src/core/protocol/message-and-agent-ids.ts";
import { sha256Hex } from "../src/core/protocol/node-sha256.ts";
import { iso } from "../src/core/protocol/time.ts";
import { ALICE, BOARD, BOB, NOW, payloadText, REQUIRED_BITS, type SealedText, seal, type VectorKey } from "./keys.ts";
import { type MessageCase, messages } from "./make-messages.ts";

/** An entry as /api/changes?include=raw shows it. */
interface Shown extends Omit<Entry, "at"> {
  readonly at: string;
  readonly raw?: SealedText | null;
}

export interface Act {
  readonly type: EntryType;
  readonly id: string;
  readonly detail?: string;
  readonly raw?: SealedText;
  /** In milliseconds; a second after the one before unless given. */
  readonly at?: number;
  /** The log keeps its digest when the content goes. */
  readonly erased?: true;
}

const sealed = ({ payload, sig, nonce }: SealedText): SealedText => ({ payload, sig, nonce });
export const create = (one: SealedText): Act => ({ type: "create", id: messageId(one.payload), raw: sealed(one) });

function acts(): Act[] {
  const all = messages();
  const named = (name: string): MessageCase => {
    const found = all.find((one) => one.name === name);
    if (found === undefined) throw new Error(`There is no message ${name}.`);
    return found;
  };
  const question = named("a question");
  const gone = seal(ALICE, payloadText(ALICE, { kind: "note", body: "Soon gone" }));
  const statement = '{"facts":"Grüße","category":"spam"}';
  const email = { payload: payloadText(BOARD, { kind: "email", title: "Hello", to: ALICE.agent }), nonce: "0" };
  return [
    create(named("the smallest note")),
    create(named("white space and escapes: the bytes are signed, not the meaning")),
    create(question),
    create(named("a claim with a lease as text")),
    { type: "status", id: question.id, detail: '{"from":"open","to":"claimed"}' },
    { ...create(gone), erased: true },
    { type: "remove", id: messageId(gone.payload), detail: statement },
    { type: "alias_claim", id: "alice", detail: JSON.stringify({ agent: ALICE.agent }) },
    create({ ...email, sig: BOARD.sign(email.payload) }),
    { type: "expire", id: named("the smallest note").id },
    ack(ALICE, { seen: 9, acted: [messageId(email.payload)] }),
  ];
}

/** An acknowledgement, as the log keeps it: under its agent, with the very bytes that were signed. */
function ack(key: VectorKey, fields: object, change: Partial<SealedText> = {}): Act {
  const envelope = seal(key, payloadText(key, { board: BOARD.agent, op: "ack", ...fields }), ACK_BITS);
  return { type: "ack", id: key.agent, detail: JSON.stringify({ ...envelope, ...change }) };
}
const ACK_BITS = REQUIRED_BITS - 6;

const digestOf = ({ raw, detail }: Act): string =>
  raw === undefined ? detailDigest(detail ?? null) : sha256Hex(`${raw.payload}\n${raw.sig}\n${raw.nonce}`);

/** Chains these acts. */
export function chained(list: readonly Act[]): Shown[] {
  let prev = GENESIS;
  return list.map((act, index) => {
    const entry = { seq: index + 1, at: act.at ?? NOW * 1000 + index * 1001, type: act.type, id: act.id, digest: digestOf(act), prev };
    prev = entryHash(entry);
    const shown = { ...entry, at: iso(entry.at), detail: act.detail ?? null, hash: prev };
    return act.raw === undefined ? shown : { ...shown, raw: act.erased === true ? null : act.raw };
  });
}

const ORIGIN = "https://board.example";

export function checkpoint(entries: readonly Shown[], key = BOARD) {
  const { seq, hash } = entries.at(-1) ?? { seq: 0, hash: GENESIS };
  const ts = NOW + 60;
  const payload = checkpointPayload(ORIGIN, { seq, hash }, ts);
  return { payload, sig: key.sign(payload), pk: key.pk, board: agentId(key.pk), seq, hash, at: iso(ts * 1000) };
}

/** A board that lies consistently: the acts are changed before they are chained and signed. */
function lie(change: (list: Act[]) => void) {
  const list = acts();
  change(list);
  const entries = chained(list);
  return { entries, checkpoint: checkpoint(entries) };
}

function tampered() {
  const entries = chained(acts());
  const honest = { entries, checkpoint: checkpoint(entries) };
  const with_ = (seq: number, change: Partial<Shown>) => ({
    ...honest,
    entries: entries.map((entry) => (entry.seq === seq ? { ...entry, ...change } : entry)),
  });
  const head = (change: object) => ({ ...honest, checkpoint: { ...honest.checkpoint, ...change } });
  const [first, second] = [entries[0]?.raw, entries[1]?.raw];
  if (first === undefined || first === null || second === undefined || second === null) throw new Error("The log begins with messages.");
  const foreign = seal(ALICE, payloadText(ALICE, { kind: "note", body: "Never posted" }));
  return [
    { name: "an entry is left out", fault: { seq: 4, what: "order" }, ...honest, entries: entries.filter(({ seq }) => seq !== 4) },
    {
      name: "an entry stands twice",
      fault: { seq: 4, what: "order" },
      ...honest,
      entries: entries.flatMap((e) => (e.seq === 3 ? [e, e] : [e])),
    },
    { name: "the first entry does not stand on zeros", fault: { seq: 1, what: "prev" }, ...with_(1, { prev: "f".repeat(64) }) },
    { name: "an entry links to another one", fault: { seq: 5, what: "prev" }, ...with_(5, { prev: entries[2]?.hash ?? "" }) },
    { name: "a detail was changed", fault: { seq: 5, what: "digest" }, ...with_(5, { detail: '{"from":"open","to":"answered"}' }) },
    {
      name: "one byte of a payload was changed",
      fault: { seq: 1, what: "digest" },
      ...with_(1, { raw: { ...first, payload: first.payload.replace("Hello", "Hallo") } }),
    },
    { name: "a nonce was changed", fault: { seq: 2, what: "digest" }, ...with_(2, { raw: { ...second, nonce: `${second.nonce}0` } }) },
    { name: "a time was changed by a millisecond", fault: { seq: 6, what: "hash" }, ...with_(6, { at: iso(NOW * 1000 + 5 * 1001 + 1) }) },
    { name: "a type was changed", fault: { seq: 10, what: "hash" }, ...with_(10, { type: "retract" }) },
    { name: "an id was changed", fault: { seq: 8, what: "hash" }, ...with_(8, { id: "mallory" }) },
    { name: "a hash was changed", fault: { seq: 9, what: "hash" }, ...with_(9, { hash: "0".repeat(64) }) },
    {
      name: "chained and signed, but the id is not the payload's",
      fault: { seq: 1, what: "id" },
      ...lie((list) => (list[0] = { ...create(first), id: "a".repeat(64) })),
    },
    {
      name: "chained and signed, but nobody signed the message",
      fault: { seq: 2, what: "signature" },
      ...lie((list) => (list[1] = create({ ...foreign, sig: first.sig }))),
    },
    {
      name: "chained and signed, but a payload is no JSON",
      fault: { seq: 2, what: "signature" },
      ...lie((list) => (list[1] = create({ payload: "Hello", sig: ALICE.sign("Hello"), nonce: "0" }))),
    },
    {
      name: "chained and signed, but a signature is misspelled",
      fault: { seq: 1, what: "signature" },
      ...lie((list) => (list[0] = create({ ...first, sig: `${first.sig}=` }))),
    },
    {
      name: "chained and signed, but nobody signed the acknowledgement",
      fault: { seq: 11, what: "signature" },
      ...lie((list) => (list[10] = ack(ALICE, { seen: 9 }, { sig: first.sig }))),
    },
    {
      name: "chained and signed, but the acknowledgement is another agent's",
      fault: { seq: 11, what: "id" },
      ...lie((list) => (list[10] = { ...ack(BOB, { seen: 9 }), id: ALICE.agent })),
    },
    { name: "the end of the log is missing", fault: { seq: 11, what: "head" }, ...honest, entries: entries.slice(0, -1) },
    {
      name: "another history up to the same seq",
      fault: { seq: 11, what: "head" },
      ...honest,
      entries: chained([...acts().slice(0, -1), { type: "expire", id: "b".repeat(64) }]),
    },
    {
      name: "the checkpoint is signed by another key",
      fault: { seq: 11, what: "checkpoint" },
      ...head({ pk: ALICE.pk, board: ALICE.agent }),
    },
    {
      name: "the checkpoint says another seq than it signed",
      fault: { seq: 9, what: "checkpoint" },
      ...head({ seq: 9, hash: entries[8]?.hash }),
    },
    { name: "the checkpoint signs no JSON", fault: { seq: 11, what: "checkpoint" }, ...head({ payload: "{", sig: BOARD.sign("{") }) },
    { name: "the checkpoint says another hash than it signed", fault: { seq: 11, what: "checkpoint" }, ...head({ hash: "0".repeat(64) }) },
    { name: "the checkpoint names another board than its key's", fault: { seq: 11, what: "checkpoint" }, ...head({ board: ALICE.agent }) },
  ];
}

export const chainFile = () => {
  const entries = chained(acts());
  return {
    about: "A log from its first entry, its checkpoint, and tampered copies with the first fault a reader must report, and where.",
    entries,
    checkpoint: checkpoint(entries),
    tampered: tampered(),
  };
};
