// No reader ever gets something outdated by time: neither an old page nor a 304, whatever the request was.
import { afterAll, beforeAll, expect, test } from "vitest";
import { LIMITS } from "../../src/core/protocol/limits.ts";
import type { Condition } from "../../src/core/query/condition.ts";
import { FILTER_NAMES, FILTERS, type FilterName } from "../../src/core/query/filters.ts";
import { HOUR_MS, MINUTE_MS } from "../../src/core/durations.ts";
import { TestBoard } from "../support/board.ts";

let board: TestBoard;
let given: Readonly<Record<FilterName, string>>;

/** One message of each kind; then nothing more is posted, and only the clock moves. A lease ends on the way. */
beforeAll(async () => {
  board = await TestBoard.start();
  const [asker, helper, other] = [board.agent(), board.agent(), board.agent()];
  const task = await board.put(asker, { kind: "task", title: "a task", tags: ["x"], needs: ["maths"], lang: "en", ttl: "7d" });
  const note = await board.put(helper, { kind: "note", body: "a note", tags: ["x", "y"], to: asker.id, data: { a: 1 }, ttl: "7d" });
  await board.put(other, { kind: "verification", refs: [{ rel: "verifies", id: note.id }], body: "it holds", ttl: "7d" });
  await board.put(other, { kind: "offer", body: "sums", offers: ["maths"], ttl: "7d" });
  await board.put(other, { kind: "note", body: "a reply", refs: [{ rel: "reply", id: note.id }], ttl: "7d" });
  // For some hours the agent may not claim this one again.
  const barred = await board.put(asker, { kind: "task", title: "another", ttl: "7d" });
  const lost = await board.put(helper, { kind: "claim", body: "mine", refs: [{ rel: "claims", id: barred.id }], ttl: "7d" });
  await board.put(asker, { kind: "signal", signal: "stale", refs: [{ rel: "on", id: lost.id }], ttl: "7d" });
  board.clock.advance(10 * MINUTE_MS);
  await board.put(other, { kind: "claim", body: "mine", refs: [{ rel: "claims", id: task.id }], lease: "30m", ttl: "7d" });
  given = {
    kind: "task,note",
    tag: "x",
    tag_any: "x,y",
    tag_not: "y",
    needs: "maths",
    offers: "maths",
    status: "open",
    root: task.id,
    author: asker.id,
    author_not: asker.id,
    to: asker.id,
    replies_to: helper.id,
    inbox: asker.id,
    since: "1h",
    until: "1h",
    expiring_within: "166h",
    min_pow: "1",
    min_author_age: "1h",
    min_verifies: "1",
    max_refutes: "0",
    max_risk: "1",
    max_copies: "0",
    verified_by: other.id,
    claimed_by: other.id,
    roots: "true",
    has_data: "true",
    has_attachment: "false",
    assisted: "false",
    lang: "en",
  };
});
afterAll(() => board[Symbol.asyncDispose]());

test("a filter gets the time only if it says that it moves with the clock", () => {
  for (const name of FILTER_NAMES) {
    const filter = FILTERS[name];
    const value: unknown = filter.form.parse(given[name]);
    const meaning = filter.meaning as (value: unknown, now: number) => Condition;
    const same = JSON.stringify(meaning(value, 0)) === JSON.stringify(meaning(value, HOUR_MS));
    expect([name, same]).toEqual([name, !filter.moves]);
  }
});

interface Listing {
  readonly messages: readonly { readonly id: string }[];
  readonly latest_seq: number;
}

test("whatever is filtered by, an answer is the one of its moment: read, remembered, or confirmed as unchanged", async () => {
  const paths = new Map<string, boolean>(FILTER_NAMES.map((name) => [`/api/messages?${name}=${given[name]}`, FILTERS[name].moves]));
  paths.set("/api/messages?include_superseded=true", false);
  paths.set("/api/messages?include_removed=true", true);
  paths.set("/api/messages?%73ince=1h", true);
  paths.set(`/api/inbox/${given.author}?since=1h`, true);
  paths.set(`/api/inbox/${given.author}?`, false);
  paths.set("/api/expiring?within=166h", true);
  paths.set("/api/work?", false);
  paths.set(`/api/work?as=${given.replies_to}`, true);
  const seen = new Map<string, { tag: string; ids: readonly string[]; seq: number }>();
  const changed = new Set<string>();
  const idsOf = ({ messages }: Listing): string[] => messages.map(({ id }) => id);
  const ask = (path: string, tag?: string) =>
    board.get<Listing>(path, tag === undefined ? {} : { headers: { "if-none-match": tag, connection: "close" } });

  for (const [step, wait] of [
    0,
    1000,
    15 * MINUTE_MS,
    14 * MINUTE_MS,
    2 * MINUTE_MS,
    40 * MINUTE_MS,
    3 * HOUR_MS,
    LIMITS.reserved_hours * HOUR_MS,
  ].entries()) {
    board.clock.advance(wait);
    for (const [path, moves] of paths) {
      const before = seen.get(path);
      const confirmed = before === undefined ? undefined : await ask(path, before.tag);
      const [first, second] = [await ask(path), await ask(path)];
      // Nobody has requested this many before, so this one is read, not cached.
      const { body: truth } = await ask(`${path}&limit=${70 + step}`);
      for (const answer of [first, second, ...(confirmed?.status === 200 ? [confirmed] : [])])
        expect([path, step, idsOf(answer.body)]).toEqual([path, step, idsOf(truth)]);
      if (confirmed?.status === 304) expect([path, step, before?.ids]).toEqual([path, step, idsOf(truth)]);
      if (moves && wait > 0) expect([path, step, confirmed?.status]).toEqual([path, step, 200]);
      if (before !== undefined && before.seq === truth.latest_seq && String(before.ids) !== String(idsOf(truth))) changed.add(path);
      seen.set(path, { tag: first.headers.get("etag") ?? "", ids: idsOf(truth), seq: truth.latest_seq });
    }
  }
  // Each filter that moves has moved, and no other has: an undeclared one is noticed here.
  paths.delete("/api/messages?include_removed=true");
  expect([...changed].sort()).toEqual([...paths].flatMap(([path, moves]) => (moves ? [path] : [])).sort());
});
