// One definition of each filter, read in three ways: the SQL of a list, the predicate of the live stream, and a plain filter over the dump.
import { expect, test } from "vitest";
import { z } from "zod";
import { Client } from "../../src/adapters/postgres/client.ts";
import { postgresRows } from "../../src/adapters/postgres/dialect.ts";
import { LatestHead } from "../../src/adapters/postgres/latest-head.ts";
import { PostgresReader } from "../../src/adapters/postgres/reader.ts";
import { seenCache } from "../../src/adapters/sql/message-caches.ts";
import type { SqlRows } from "../../src/adapters/sql/dialect.ts";
import { lookups } from "../../src/adapters/sql/lookups.ts";
import { SqliteMessageCache } from "../../src/adapters/sqlite/message-cache.ts";
import { databasePath, openDatabase } from "../../src/adapters/sqlite/open.ts";
import { SqliteReader } from "../../src/adapters/sqlite/reader.ts";
import { SqliteRows } from "../../src/adapters/sqlite/statement-runner.ts";
import { conditionOf } from "../../src/board/read/list.ts";
import type { Names } from "../../src/board/read/resolve-agents-and-messages.ts";
import { REL_NAMES, STATUS_NAMES } from "../../src/core/protocol/vocabulary.ts";
import { holds, type Subject } from "../../src/core/query/predicate.ts";
import { subjectOf } from "../../src/core/query/condition-subject.ts";
import { conditionTerms } from "../../src/core/query/filter-index-terms.ts";
import { filterShape, streamQuestion } from "../../src/operations/messages/list-messages.ts";
import { TestBoard } from "../support/board.ts";
import { BusyBoard, LANGUAGES, NEEDS, OFFERS, TAGS, WORDS } from "../support/busy-board.ts";
import { databaseFor, onPostgres } from "../support/postgres/database.ts";
import { allPages, type Parameters } from "../support/listing.ts";
import { inOrder, type Shown, Snapshot } from "../support/naive-filter.ts";
import { Random, SEED, tries } from "../support/random.ts";
import { expectRiskAndCopies } from "../support/strangers-texts.ts";

const ROUNDS = tries(4, 2);
const TRIES = 130;
/** On PostgreSQL each query goes through several processes. */
const QUESTIONS = onPostgres() ? tries(150, 70) : tries(500, 130);
const SORTS = ["new", "old", "activity", "expiring", "verified", "pow"];
const filterForm = z.strictObject(filterShape);

/** The text of one random query: existing words, halves of them, phrases and exclusions. */
function queryText(random: Random): string {
  const term = () => {
    const word = random.pick(WORDS);
    const drawn = random.below(10);
    if (drawn < 5) return word;
    if (drawn < 6) return `${word.slice(0, 2 + random.below(3))}*`;
    if (drawn < 8) return `-${word}`;
    return drawn < 9 ? `"${word} ${random.pick(WORDS)}"` : `${word.toUpperCase()}, (${random.pick(WORDS)}) OR NEAR/2`;
  };
  return Array.from({ length: 1 + random.below(3) }, term).join(" ");
}

function questioner(random: Random, busy: BusyBoard, snapshot: Snapshot): () => Parameters {
  const agents = busy.agents.map((agent) => agent.id);
  const listOf = (values: readonly string[], most = 3) => random.some(values, 1, most).join();
  const id = () => {
    const found = random.chance(0.05)
      ? random.pick(busy.unknown)
      : (random.chance(0.8) ? random.pick(snapshot.messages) : random.pick(busy.posted)).id;
    const live = snapshot.messages.some((one) => one.id === found);
    return live && random.chance(0.2) ? found.slice(0, 16) : found;
  };
  const flag = () => random.pick(["true", "false", "1", "0"]);
  const moment = () => {
    const at = random.pick(snapshot.messages).receivedAt + random.pick([-1, 0, 0, 1]);
    const ago = Math.ceil((snapshot.now - at) / 1000);
    return random.pick([
      new Date(at).toISOString(),
      String(Math.floor(at / 1000)),
      ago > 0 ? `${ago}s` : "1s",
      random.pick(["1m", "1h", "2d"]),
    ]);
  };
  const draws: Readonly<Record<string, () => string>> = {
    kind: () => listOf([...new Set(busy.posted.map((one) => one.kind)), "email", "x-nobody"], 4),
    tag: () => listOf([...TAGS, "nowhere"], 2),
    tag_any: () => listOf([...TAGS, "nowhere"]),
    tag_not: () => listOf([...TAGS, "nowhere"]),
    needs: () => listOf([...NEEDS, "nowhere"]),
    offers: () => listOf([...OFFERS, "nowhere"]),
    status: () => listOf(STATUS_NAMES),
    root: id,
    ref: id,
    author: () => listOf([...agents, `ag_${"0".repeat(20)}`]),
    author_not: () => listOf([...agents, `ag_${"0".repeat(20)}`]),
    to: () => listOf(agents),
    replies_to: () => listOf(agents, 2),
    inbox: () => listOf(agents, 2),
    since: moment,
    until: moment,
    expiring_within: () => random.pick(["30s", "90", "10m", "1h", "3d", "7d"]),
    min_pow: () => String(random.below(9)),
    min_author_age: () => random.pick(["1s", "60s", "5m", "10m", "1h"]),
    min_verifies: () => String(random.below(3)),
    max_refutes: () => String(random.below(2)),
    max_risk: () => String(random.below(4)),
    max_copies: () => String(random.below(3)),
    verified_by: () => listOf(agents),
    claimed_by: () => listOf(agents),
    roots: flag,
    has_data: flag,
    has_attachment: flag,
    assisted: flag,
    lang: () => listOf([...LANGUAGES, "zho", "EN", "de-de", "zh"], 2),
    q: () => queryText(random),
    after_seq: () => String(random.below(snapshot.messages.at(-1)?.seq ?? 1)),
  };
  return () => {
    const chosen = random.some(Object.keys(draws), random.chance(0.05) ? 0 : 1, 4);
    const drawn: Record<string, string> = Object.fromEntries(chosen.map((name) => [name, draws[name]?.() ?? ""]));
    if (drawn["ref"] !== undefined && random.chance(0.5)) drawn["rel"] = listOf(REL_NAMES, 4);
    if (drawn["q"] !== undefined && random.chance(0.3)) drawn["q_mode"] = "any";
    if (random.chance(0.3)) drawn["include_superseded"] = "true";
    return { ...drawn, sort: random.pick(SORTS), limit: random.pick(["19", "200", "200", "200", "200", "200"]) };
  };
}

interface Reads extends AsyncDisposable {
  readonly reader: Pick<SqliteReader, "find"> | Pick<PostgresReader, "find">;
  readonly rows: SqlRows;
}

async function readsOf(data: string): Promise<Reads> {
  if (onPostgres()) {
    const client = new Client({ url: await databaseFor(data), connections: 4, name: "test" });
    return {
      reader: new PostgresReader(client, seenCache(), new LatestHead(client, "test")),
      rows: postgresRows(client),
      [Symbol.asyncDispose]: () => client.end(),
    };
  }
  const db = openDatabase(databasePath(data), "read");
  return {
    reader: new SqliteReader(db, new SqliteMessageCache(db)),
    rows: new SqliteRows(db),
    [Symbol.asyncDispose]: async () => db.close(),
  };
}

/** Every live message as the stream's predicate sees it. */
class Subjects {
  readonly #snapshot: Snapshot;
  readonly #subjects: readonly { readonly id: string; readonly subject: Subject }[];

  /** Agents are given by their ids here, messages also by prefixes. */
  readonly #names: Names = {
    agent: async (name) => name,
    message: async (prefix) => this.#snapshot.messages.find(({ id }) => id.startsWith(prefix))?.id ?? prefix,
    resolve: async ({ root, ...values }) => (root === undefined ? values : { ...values, root: await this.#names.message(root) }),
    areIds: () => false,
  };

  private constructor(snapshot: Snapshot, subjects: readonly { readonly id: string; readonly subject: Subject }[]) {
    this.#snapshot = snapshot;
    this.#subjects = subjects;
  }

  static async read(data: string, snapshot: Snapshot): Promise<Subjects> {
    await using reads = await readsOf(data);
    const { reader, rows } = reads;
    const subjects = snapshot.messages.map(async ({ id }) => {
      const found = await reader.find(id, snapshot.now);
      if (found === undefined || "tombstone" in found) throw new Error(`${id} is not there.`);
      const { state, raw, author } = found.stored;
      const facts = { state, payload: JSON.parse(raw.payload) as Shown["payload"], authorSince: author.firstSeen };
      const verifiedBy = (await lookups(rows).verifiers([state.seq])).get(state.seq);
      return { id, subject: subjectOf({ ...facts, verifiedBy }, state.status) };
    });
    return new Subjects(snapshot, await Promise.all(subjects));
  }

  async matching({
    sort: _sort,
    limit: _limit,
    include_superseded: superseded,
    after_seq: after,
    ...filters
  }: Parameters): Promise<string[]> {
    const { q: _q, q_mode: _mode, ...question } = streamQuestion(filterForm.parse(filters));
    const condition = await conditionOf(
      {
        ...question,
        include_superseded: superseded === "true",
        limit: 0,
        fingerprint: "",
        ...(after === undefined ? {} : { after_seq: Number(after) }),
      },
      this.#names,
      { now: this.#snapshot.now, seq: Number.MAX_SAFE_INTEGER },
    );
    const passes = (subject: Subject): boolean => holds(condition, subject);
    const terms = condition.is === "and" ? conditionTerms(condition.of) : undefined;
    return this.#subjects
      .filter(({ subject }) => passes(subject))
      .map(({ id, subject }) => {
        // Live filters are looked up by these terms: without a common one, the stream would never call the filter.
        if (terms !== undefined && !terms.some((term) => subject.terms().includes(term))) throw new Error(`No shared term for ${id}.`);
        return id;
      });
  }
}

test(`agents get the same messages from a listing, from the stream and from their own copy of the board (SEED=${SEED})`, async () => {
  const random = new Random(SEED);
  await using board = await TestBoard.start();
  const busy = new BusyBoard(board, random);
  let found = 0;
  let empty = 0;
  for (let round = 0; round < ROUNDS; round++) {
    await busy.fill(TRIES);
    await busy.spread();
    // Then some leases and lifetimes are just over.
    board.clock.advance(random.pick([0, 61_000, 130_000]));
    const snapshot = await Snapshot.take(board, new Map(busy.posted.map((one) => [one.id, one.author])));
    expectRiskAndCopies(snapshot.messages.map(({ record }) => record));
    const subjects = await Subjects.read(board.data, snapshot);
    const draw = questioner(random, busy, snapshot);
    for (let i = 0; i < QUESTIONS; i++) {
      const parameters = draw();
      const { q, q_mode: _mode, ...withoutText } = parameters;
      const passing = snapshot.filter(withoutText);
      const plain = inOrder(q === undefined ? passing : snapshot.filter(parameters), parameters["sort"] ?? "new").map((one) => one.id);
      const listed = await allPages(board, "/api/messages", { ...parameters, fields: "seq" });
      const words = `${JSON.stringify(parameters)} in round ${round}`;
      expect(
        listed.map((one) => one.id),
        `listing: ${words}`,
      ).toEqual(plain);
      const live = new Set(await subjects.matching(parameters));
      expect(live, `stream: ${words}`).toEqual(new Set(passing.map((one) => one.id)));
      if (plain.length === 0) empty++;
      else found++;
    }
  }
  // A fuzz test whose queries find only nothing, or only everything, proves nothing.
  expect(found).toBeGreaterThan(ROUNDS * QUESTIONS * 0.2);
  expect(empty).toBeGreaterThan(0);
});
