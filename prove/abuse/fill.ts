// A program that fills a board with data for the attacks, using the writer of the checkout under test, and prints where that data is.
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { BoardLife } from "../../bench/support/simulated-activity.ts";
import { HOUR_MS, MINUTE_MS } from "../../src/core/durations.ts";
import { LIMITS } from "../../src/core/protocol/limits.ts";
import { NOTHING } from "../../src/core/guard/risk-and-copies.ts";
import type { Arrival } from "../../src/core/message/message-state.ts";
import { agentId, messageId } from "../../src/core/protocol/message-and-agent-ids.ts";
import type { Envelope } from "../../src/core/protocol/envelope.ts";
import type { Payload, Ref } from "../../src/core/protocol/payload.ts";
import type { Act } from "../../src/core/message/acts-and-outcomes.ts";
import { Agent } from "../../test/support/agent.ts";
import { admitted } from "../../test/support/bare-board.ts";
import { reasons } from "../../test/support/operator.ts";
import { ABUSE_BITS } from "./attacked-board-flags.ts";
import { LARGE_BODY, NO_PROSE, TABLE } from "./expensive-texts.ts";

export interface Filling {
  /** The checkout of the board. */
  readonly server: string;
  readonly dir: string;
  /** The database that the board is moved to; without it, the board stays in the directory. */
  readonly databaseUrl: string | undefined;
  readonly messages: number;
  readonly tombstones: number;
  /** The number of messages in one thread. The same number answer a message that does not exist yet. */
  readonly thread: number;
}

/** What the attacks need to know about the board. */
export interface Feed {
  readonly thread: string;
  readonly tables: readonly string[];
  /** The messages of one thread that are no prose. All of them, and the large messages, have the tag `long` and one addressee. */
  readonly noProse: readonly string[];
  readonly addressee: string;
  readonly dense: readonly string[];
  /** The large messages come right after this seq. */
  readonly largeAfter: number;
  /** The message that many messages answer, signed. It was never posted. */
  readonly awaited: { readonly payload: string; readonly sig: string };
  /** Withdraws messages that very many agents voted on, signed and mined. It was never posted. */
  readonly withdrawal: Envelope;
  /** The author of very many messages with as many labels as possible, and one of these messages. */
  readonly ending: { readonly author: string; readonly id: string };
  readonly gone: { readonly authors: readonly string[]; readonly tags: readonly string[] };
}

const BATCH = 2000;
const SWEEPS = 64;
const LARGE = 44;
const TABLES = 60;
const NO_PROSES = 60;
const DENSE = 500;
/** Of these, one address can post about one in 1.6 s. */
const ENDING = 3000;
const REFS = 16;
const AUTHORS = 400;
const BEGINS_MS = 20 * HOUR_MS;
const LIFE_MS = 4 * HOUR_MS;

const filling = JSON.parse(process.argv[2] ?? "{}") as Filling;
const from = <Module>(path: string): Promise<Module> => import(pathToFileURL(join(filling.server, "src", path)).href) as Promise<Module>;
const { databasePath, openDatabase } = await from<typeof import("../../src/adapters/sqlite/open.ts")>("adapters/sqlite/open.ts");
const { SqliteWriter } = await from<typeof import("../../src/adapters/sqlite/writer.ts")>("adapters/sqlite/writer.ts");

mkdirSync(filling.dir, { recursive: true });
const db = openDatabase(databasePath(filling.dir), "write");
// Filling can be repeated, so nothing has to survive a crash here.
db.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -1048576");
const writer = new SqliteWriter(db);
const authors = Array.from({ length: AUTHORS }, (_, n) => createHash("sha256").update(`author ${n}`).digest("base64url"));
const end = Date.now() - MINUTE_MS;
let at = end - BEGINS_MS;
let made = 0;

function run(acts: readonly Act[]): void {
  for (const outcome of writer.run(acts, at).outcomes)
    if ("refused" in outcome && outcome.refused.code === "internal") throw new Error(outcome.refused.message);
}
const posts = (arrivals: readonly Arrival[]): void =>
  run(arrivals.map((arrival) => ({ type: "post", arrival: admitted(arrival), dryRun: false })));

/** `text` writes the payload in an unusual form. */
function arrival(fields: Partial<Payload> & { kind: string }, text?: (payload: Payload) => string): Arrival {
  const n = made++;
  const pk = authors[n % AUTHORS]!;
  const payload: Payload = { v: 1, pk, ts: Math.floor(at / 1000), ...fields };
  const written = text?.(payload) ?? JSON.stringify(payload);
  const raw = { payload: written, sig: createHash("sha512").update(written).digest("base64url"), nonce: n.toString(36) };
  return { id: messageId(written), author: agentId(payload.pk), payload, raw, bits: 18, assisted: false, blobs: {}, noticed: NOTHING };
}

const tagsGone = Array.from({ length: 20 }, (_, n) => `gone-${n}`);

/** Most of the messages expire, some are withdrawn, and a few are removed. */
function fillTombstones(): void {
  for (let left = filling.tombstones; left > 0; left -= BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, left) }, (_, i) =>
      arrival({ kind: "note", title: `gone ${left} ${i}`, tags: [tagsGone[i % tagsGone.length]!], ttl: 60 }),
    );
    posts(batch);
    const withdrawn = batch.filter((_, i) => i % 20 === 1);
    posts(
      withdrawn.map((one) => {
        made = authors.indexOf(one.payload.pk);
        return arrival({ kind: "retraction", ttl: 60, refs: [{ rel: "retracts", id: one.id }] });
      }),
    );
    const removed = batch.filter((_, i) => i % 33 === 5);
    run(removed.map(({ id: target }) => ({ type: "order", order: { do: "remove", target, reasons: reasons(), keepAttachments: false } })));
    at += MINUTE_MS + 1000;
    for (let swept = 0; swept < 2 * BATCH; swept += SWEEPS * 48) run(Array.from({ length: SWEEPS }, () => ({ type: "sweep" as const })));
  }
}

function fillInBatches(count: number, make: (i: number) => Arrival): readonly string[] {
  const ids: string[] = [];
  for (let i = 0; i < count; i += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - i) }, (_, j) => make(i + j));
    posts(batch);
    ids.push(...batch.map(({ id }) => id));
    at += 1000;
  }
  return ids;
}

fillTombstones();
const largeAfter = Number(db.prepare("SELECT max(seq) AS seq FROM log").get()?.["seq"] ?? 0);
const addressee = agentId(authors[0]!);
const long = { kind: "note", tags: ["long"], to: addressee };
fillInBatches(LARGE, (i) =>
  // The longest possible text, written in the longest possible way.
  arrival({ ...long, title: `large ${i}`, body: LARGE_BODY }, (payload) =>
    JSON.stringify(payload).replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`),
  ),
);
const tables = fillInBatches(TABLES, (i) => arrival({ kind: "note", title: `table ${i}`, body: `${i}\n\n${TABLE}` }));
const [noProse = ""] = fillInBatches(1, () => arrival({ ...long, title: "no prose" }));
const noProses = fillInBatches(NO_PROSES, (i) =>
  arrival({ ...long, title: `no prose ${i}`, body: NO_PROSE[i % NO_PROSE.length]!, refs: [{ rel: "reply", id: noProse }] }),
);
const before: string[] = [];
const dense = fillInBatches(DENSE, (i) => {
  const refs = before.slice(-REFS).map((id): Ref => ({ rel: "cites", id }));
  const one = arrival({ kind: "note", title: `dense ${i}`, ...(refs.length === 0 ? {} : { refs }) });
  before.push(one.id);
  return one;
});
const [thread = ""] = fillInBatches(1, () => arrival({ kind: "question", title: "How long can a thread be?" }));
const inThread: string[] = [thread];
fillInBatches(filling.thread - 1, (i) => {
  // Half of them answer the root, and half answer one another.
  const to = i % 2 === 0 ? thread : inThread[inThread.length - 1 - (i % Math.min(50, inThread.length))]!;
  const one = arrival({ kind: "note", title: `reply ${i}`, body: "so it is", refs: [{ rel: "reply", id: to }] });
  inThread.push(one.id);
  return one;
});
const asker = new Agent();
const awaited = asker.envelope({ kind: "question", title: `Does anybody wait for this? ${randomBytes(8).toString("hex")}` });
const awaitedId = messageId(awaited.payload);
fillInBatches(filling.thread, (i) => arrival({ kind: "note", title: `early ${i}`, refs: [{ rel: "reply", id: awaitedId }] }));
const voted = fillInBatches(REFS, (i) => arrival({ kind: "finding", title: `voted ${i}`, pk: asker.pk }));
fillInBatches(Math.ceil(filling.thread / 4), (i) =>
  arrival({
    kind: "verification",
    body: `vote ${i}`,
    pk: createHash("sha256").update(`voter ${i}`).digest("base64url"),
    refs: voted.map((id): Ref => ({ rel: "verifies", id })),
  }),
);
const withdrawal = asker.envelope({ kind: "retraction", refs: voted.map((id): Ref => ({ rel: "retracts", id })) }, undefined, ABUSE_BITS);
const ender = createHash("sha256").update("ender").digest("base64url");
const labelled = (i: number, field: string, count: number) => Array.from({ length: count }, (_, n) => `${field}-${i}-${n}`);
const [ending = ""] = fillInBatches(Math.min(ENDING, Math.ceil(filling.messages / 20)), (i) =>
  arrival({
    kind: "task",
    title: `ending ${i}`,
    pk: ender,
    tags: labelled(i, "et", LIMITS.tags),
    needs: labelled(i, "en", LIMITS.needs),
    offers: labelled(i, "eo", LIMITS.offers),
  }),
);
const life = new BoardLife();
at = Math.max(at, end - LIFE_MS);
const step = Math.floor((end - at) / Math.max(1, (filling.messages - 2 * filling.thread) / BATCH));
for (
  let live = () => Number(db.prepare("SELECT count(*) AS n FROM messages").get()?.["n"]);
  live() < filling.messages;
  at = Math.min(end, at + step)
)
  posts(Array.from({ length: Math.min(BATCH, filling.messages) }, () => life.next(at)));
const counts = db.prepare("SELECT (SELECT count(*) FROM messages) AS messages, (SELECT count(*) FROM gone) AS gone").get();
writer.close();

const seed = randomBytes(32);
writeFileSync(join(filling.dir, "board.key"), `${seed.toString("base64url")}\n`, { mode: 0o600 });
if (filling.databaseUrl !== undefined) await move(filling.databaseUrl);

const feed: Feed = {
  thread,
  tables,
  noProse: noProses,
  addressee,
  dense,
  largeAfter,
  awaited: { payload: awaited.payload, sig: awaited.sig },
  withdrawal,
  ending: { author: agentId(ender), id: ending },
  gone: { authors: authors.slice(0, 20).map(agentId), tags: tagsGone },
};
console.error(`filled: ${JSON.stringify(counts)}`);
console.log(JSON.stringify(feed));

async function move(url: string): Promise<void> {
  const { openPostgresStore } = await from<typeof import("../../src/adapters/postgres/store.ts")>("adapters/postgres/store.ts");
  const { fillPostgres } = await from<typeof import("../../src/adapters/postgres/transfer.ts")>("adapters/postgres/transfer.ts");
  const { portionsOf } = await from<typeof import("../../src/adapters/sqlite/transfer.ts")>("adapters/sqlite/transfer.ts");
  const { requireBoardKey } = await from<typeof import("../../src/adapters/system/board-key.ts")>("adapters/system/board-key.ts");
  // Makes the tables.
  const store = await openPostgresStore(url);
  await store.close();
  const source = openDatabase(databasePath(filling.dir), "write");
  const { pk } = requireBoardKey(join(filling.dir, "board.key"), filling.dir, undefined, "Fill the board again.");
  await fillPostgres(url, portionsOf(source), pk);
  source.close();
}
