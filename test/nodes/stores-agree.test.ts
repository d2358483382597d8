// The same acts at the same moments on a board in SQLite and one in PostgreSQL: every answer is the same, to the letter.
import { copyFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SPREADING_AUTHORS } from "../../src/core/guard/copies/copies.ts";
import { words } from "../../src/core/search/words.ts";
import type { MessageRecord } from "../../src/core/view/record.ts";
import type { Agent, Fields } from "../support/agent.ts";
import { type Answer, type PostBody, TestBoard } from "../support/board.ts";
import { BusyBoard, LANGUAGES, NEEDS, OFFERS, TAGS, WORDS } from "../support/busy-board.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { Operator, reasons } from "../support/operator.ts";
import { Random, SEED, tries } from "../support/random.ts";
import { expectRiskAndCopies } from "../support/strangers-texts.ts";

const ROUNDS = tries(3, 2);
const ACTS = 40;
const QUESTIONS = 60;

/** The same in other words: only by their meaning are they found by each other. */
const SAID = "find duplicate images in a folder";
const ASKED = "detect identical pictures inside one directory";

/** Two boards that get the same requests. */
class Twins {
  readonly clock: ManualClock;
  readonly #boards: readonly [TestBoard, TestBoard];

  constructor(clock: ManualClock, boards: readonly [TestBoard, TestBoard]) {
    this.clock = clock;
    this.#boards = boards;
  }

  async post(agent: Agent, fields: Fields, blobs?: Record<string, string>, bits?: number): Promise<Answer<PostBody>> {
    const envelope = JSON.stringify(agent.envelope(fields, blobs, bits));
    const [one, other] = this.#boards;
    const first = await one.send(envelope);
    const second = await other.send(envelope);
    expect([second.status, second.body], envelope).toEqual([first.status, first.body]);
    return first;
  }

  async get<Body>(path: string): Promise<Answer<Body>> {
    const [first, second] = await Promise.all(this.#boards.map((board) => board.get<Body>(path)));
    if (first === undefined || second === undefined) throw new Error("There are two.");
    expect([second.status, second.headers.get("etag"), second.headers.get("link"), second.body], path).toEqual([
      first.status,
      first.headers.get("etag"),
      first.headers.get("link"),
      first.body,
    ]);
    return first;
  }
}

let sqlite: TestBoard;
let postgres: TestBoard;
let twins: Twins;
const random = new Random(SEED);

beforeAll(async () => {
  const clock = new ManualClock();
  sqlite = await TestBoard.start({ clock, store: "sqlite" });
  const data = mkdtempSync(join(tmpdir(), "board-"));
  // One key for both: it signs the head and encrypts the cursors.
  copyFileSync(join(sqlite.data, "board.key"), join(data, "board.key"));
  postgres = await TestBoard.start({ clock, data, store: "postgres" });
  twins = new Twins(clock, [sqlite, postgres]);
});
afterAll(async () => {
  await sqlite[Symbol.asyncDispose]();
  await postgres[Symbol.asyncDispose]();
});

/** A list with random filters, orders and pages. */
function question(busy: BusyBoard): string {
  const message = () => random.pick(busy.posted).id;
  const agent = () => random.pick(busy.agents).id;
  const words = () => random.some(WORDS, 1, 2).join(" ");
  const draws: readonly (() => readonly [string, string])[] = [
    () => ["kind", random.some(["note", "task", "question", "answer", "finding", "verification", "x-try"], 1, 3).join(",")],
    () => ["tag", random.some(TAGS, 1, 2).join(",")],
    () => ["tag_any", random.some(TAGS, 1, 3).join(",")],
    () => ["tag_not", random.some(TAGS, 1, 2).join(",")],
    () => ["needs", random.pick(NEEDS)],
    () => ["offers", random.pick(OFFERS)],
    () => ["status", random.some(["open", "claimed", "answered", "disputed", "verified", "resolved"], 1, 3).join(",")],
    () => ["root", message()],
    () => ["ref", message()],
    () => ["author", agent()],
    () => ["author_not", agent()],
    () => ["to", agent()],
    () => ["replies_to", agent()],
    () => ["inbox", agent()],
    () => ["verified_by", agent()],
    () => ["q", words()],
    () => ["near", words()],
    () => ["since", random.pick(["30s", "5m", "1h"])],
    () => ["until", random.pick(["10s", "2m"])],
    () => ["expiring_within", random.pick(["5m", "2h", "3d"])],
    () => ["min_pow", String(random.below(8))],
    () => ["min_author_age", random.pick(["1s", "5m"])],
    () => ["min_verifies", String(random.below(2))],
    () => ["max_refutes", String(random.below(2))],
    () => ["max_risk", String(random.below(4))],
    () => ["max_copies", String(random.below(3))],
    () => ["has_data", random.pick(["true", "false"])],
    () => ["has_attachment", random.pick(["true", "false"])],
    () => ["lang", random.pick(LANGUAGES)],
    () => ["include_superseded", "true"],
    () => ["include_removed", "true"],
    () => ["sort", random.pick(["new", "old", "activity", "expiring", "verified", "pow"])],
    () => ["after_seq", String(random.below(40))],
  ];
  const chosen = new Map(random.some(draws, 0, 3).map((draw) => draw()));
  chosen.set("limit", random.pick(["3", "7", "50", "200"]));
  chosen.set("include", random.pick(["", "body", "body,data,raw,preview"]));
  return `/api/messages?${new URLSearchParams([...chosen]).toString()}`;
}

test(`every body is the same on both stores, after every kind of act (SEED=${SEED})`, async () => {
  const busy = new BusyBoard(twins, random, SPREADING_AUTHORS);
  const said = await twins.post(busy.agents[0]!, { kind: "task", title: SAID, ttl: "2d" });
  expect(said.status).toBe(201);
  const operators = [await Operator.at(sqlite), await Operator.at(postgres)];
  for (let round = 0; round < ROUNDS; round++) {
    await busy.fill(ACTS);
    await busy.spread();
    twins.clock.advance(random.pick([0, 61_000, 700_000]));
    // Due entries are written first. Otherwise it is chance which of them each board has written when the operator acts.
    await twins.get("/api/stats");
    if (round === 1) {
      const order = { do: "remove", target: random.pick(busy.posted).id, reasons: reasons(), keepAttachments: false } as const;
      for (const operator of operators) await operator.session.order(order).catch(() => {});
    }
    for (let n = 0; n < QUESTIONS; n++) {
      let path: string | undefined = question(busy);
      for (let page = 0; page < 4 && path !== undefined; page++) {
        const { body }: Answer<{ next_cursor?: string | null }> = await twins.get<{ next_cursor?: string | null }>(path);
        const cursor: string | null = body.next_cursor ?? null;
        path = cursor === null ? undefined : `${path.replace(/&cursor=.*/, "")}&cursor=${encodeURIComponent(cursor)}`;
      }
    }
    const [first, second] = [random.pick(busy.posted).id, random.pick(busy.posted).id];
    for (const path of [
      ...busy.posted.map(({ id }) => `/api/messages/${id}?include=body,data,raw`),
      ...[first, second].flatMap((id) => [
        `/api/messages/${id}/thread?include=body`,
        `/api/messages/${id}/graph?depth=3`,
        `/api/messages/${id.slice(0, 9)}`,
      ]),
      ...busy.agents.flatMap(({ id }) => [`/api/agents/${id}`, `/api/inbox/${id}`]),
      "/api/agents",
      `/api/agents?offers=${OFFERS.join(",")}`,
      ...["tag", "need", "offer"].map((field) => `/api/tags?field=${field}`),
      "/api/tags?prefix=g",
      "/api/work",
      `/api/work?needs=${NEEDS.join(",")}`,
      "/api/expiring?within=3d",
      `/api/similar?text=${encodeURIComponent(random.some(WORDS, 2, 4).join(" "))}`,
      "/api/stats",
      "/api/changes?limit=1000&include=raw",
      "/api/dump.jsonl",
      "/api/checkpoint",
      "/api/transparency",
      "/api/aliases",
      "/api/pow",
      "/api/messages?tag=%00",
      "/api/tags?prefix=%00",
    ])
      await twins.get(path);
    await expectFoundByMeaning(said.body.id);
    const records = busy.posted.map(async ({ id }) => (await twins.get<MessageRecord>(`/api/messages/${id}`)).body);
    expectRiskAndCopies((await Promise.all(records)).filter((one) => "derived" in one));
  }
  const other = await twins.post(busy.agents[1]!, { kind: "task", title: ASKED });
  expect(other.body).toMatchObject({ similar: expect.arrayContaining([expect.objectContaining({ id: said.body.id })]) });
  for (const operator of operators) await operator[Symbol.asyncDispose]();
});

/** Both boards find it with the same score, though no word of it was asked for. */
async function expectFoundByMeaning(id: string): Promise<void> {
  expect(new Set(words(ASKED)).isDisjointFrom(new Set(words(SAID)))).toBe(true);
  for (const path of ["/api/similar?text=", "/api/messages?near="]) {
    const { body } = await twins.get<{ messages: readonly MessageRecord[] }>(path + encodeURIComponent(ASKED));
    expect(body.messages.map((one) => one.id)).toContain(id);
  }
}
