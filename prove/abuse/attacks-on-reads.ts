// Questions that cost more to answer than to ask.
import { setTimeout as pause } from "node:timers/promises";
import { type Attack, LONG_WARM_S, READER, READS, type Stage, type Notes } from "./attack.ts";
import { PHRASES } from "./attack-on-search.ts";
import { type Ask, Caller, GZIP, JSON_TYPE, PAGE, type Pace } from "./caller.ts";
import { TABLE } from "./expensive-texts.ts";

/**
 * As many requests as one address may send; each is made from its number. The first `known` are asked before the attack begins, so
 * that what the board makes and caches once does not count as time and memory that it takes.
 */
const asking =
  (make: (stage: Stage) => (i: number) => Ask, { known = 0, pace = READS }: { known?: number; pace?: Pace } = {}) =>
  async (stage: Stage): Promise<() => Promise<Notes>> => {
    const made = make(stage);
    const reader = new Caller(stage.caller.port, READER);
    for (let i = 0; i < known; i++) await reader.ask(made(i));
    reader.leave();
    return async () => {
      await stage.caller.pace(pace, stage.seconds, made);
      return {};
    };
  };

const turn = <Item>(list: readonly Item[], i: number): Item => list[i % list.length]!;
/** Nothing is there, or nothing that costs more than a read. */
const ABSENT: readonly Ask[] = [
  { path: "/api/absent" },
  { path: "/absent/page", headers: PAGE },
  { path: "/assets/absent.js", headers: PAGE },
  { method: "DELETE", path: "/api/messages" },
  { method: "OPTIONS", path: "/mcp" },
  { path: "/readyz" },
  { path: "/readyz/writing" },
  { path: "/metrics" },
];
const absent = (i: number): string => Array.from({ length: 32 }, (_, n) => `absent-${i}-${n}`).join(",");
const SORTS = ["", "&sort=activity", "&sort=verified", "&sort=pow", "&sort=expiring"];
const mcp = (params: string): Ask => ({
  method: "POST",
  path: "/mcp",
  headers: { ...JSON_TYPE, accept: "application/json, text/event-stream" },
  body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`,
});
const MANY_KEYS = mcp(`{"name":"get_message","arguments":{${Array.from({ length: 24_000 }, (_, n) => `"k${n}":1`).join(",")}}}`);
const MANY_OBJECTS = mcp(`{"name":"get_message","_meta":{"a":[${Array(340_000).fill("{}").join(",")}]}}`);
const MANY_NUMBERS = mcp(`{"name":"get_message","arguments":{"a":[${Array(250_000).fill("0.1").join(",")}]}}`);
/** Waits for what nobody posts, with one long text that counts as one value. */
const longWait = (seconds: number): Ask =>
  mcp(
    `{"name":"wait_for_messages","arguments":{"wait":${seconds},"filters":{"tag":"absent"}},"_meta":{"a":"${"x".repeat(WAITING_CHARS)}"}}`,
  );
const WAITING = 20;
/** As long as the caller can pay for that many, so that it can afford to wait. */
const WAITING_CHARS = 750_000;
/** The waits end a little before the attack, so that their answers show that they were accepted. */
const WAITS_END_S = 5;
/** Reaches back to before the oldest message. */
const HOURS = 30;

/** Whoever reads so many messages, in whatever form, fills all caches of messages (docs/caches.md), once. */
const CACHES_MIB = 384;

export const ATTACKS_ON_READS: readonly Attack[] = [
  {
    name: "listings",
    sends: "listings by filters that no index answers (32 tags that must be absent, the age of authors), in every order",
    meets: { least: 2, of: ["200", "429 half way"] },
    begin: asking(() => (i) => ({
      path: `/api/messages?tag_not=${absent(i)}&min_author_age=520w${turn(SORTS, i)}`,
      headers: GZIP,
    })),
  },
  {
    name: "authors",
    sends: "listings of twenty authors, to whose messages an index leads, by 32 tags that must be absent, in every order",
    meets: { least: 20, of: ["200", "429 half way"] },
    begin: asking(({ feed: { gone } }) => (i) => ({
      path: `/api/messages?author=${gone.authors.join(",")}&tag_not=${absent(i)}&min_author_age=520w${turn(SORTS, i)}`,
    })),
  },
  {
    name: "tombstones",
    sends: "listings with what was removed, by author and by tag, in every order",
    meets: { least: 50, of: ["200", "429 half way"] },
    begin: asking(({ feed: { gone } }) => (i) => {
      const more = ["", `&author=${turn(gone.authors, i)}`, `&tag=${turn(gone.tags, i)}`];
      const sort = turn(SORTS, Math.floor(i / more.length));
      return { path: `/api/messages?include_removed=1&limit=5&after_seq=${i}${turn(more, i)}${sort}` };
    }),
  },
  {
    name: "previews",
    sends: "previews of a table of 4 KB and 135,000 cells",
    meets: { least: 100, of: ["200"] },
    begin: asking(() => (i) => ({
      method: "POST",
      path: "/preview",
      headers: JSON_TYPE,
      body: JSON.stringify({ body: `${i}\n\n${TABLE}` }),
    })),
  },
  {
    name: "pages",
    sends: "the pages of 60 messages with such tables, in turn, compressed",
    meets: { least: 100, of: ["200"] },
    begin: asking(({ feed }) => (i) => ({ path: `/m/${turn(feed.tables, i)}`, headers: PAGE })),
  },
  {
    name: "long-texts",
    sends:
      "pages, lists, feeds, inboxes and briefs of the longest texts, many of which are only brackets, bare addresses or invisible characters",
    meets: { least: 50, of: ["200", "429 half way"] },
    begin: asking(
      ({ feed: { noProse, addressee } }) =>
        (i) =>
          [
            { path: `/m/${turn(noProse, Math.floor(i / 5))}`, headers: PAGE },
            { path: "/?tag=long", headers: PAGE },
            { path: "/feed.atom?tag=long" },
            { path: `/api/inbox/${addressee}?limit=200&after_seq=${i}` },
            { path: `/api/brief?agent=${addressee}&budget=100000` },
          ][i % 5]!,
      { known: 3 },
    ),
  },
  {
    name: "graphs",
    sends: "pages and graphs, six refs deep, of messages of which each cites 16 others",
    meets: { least: 50, of: ["200", "429 half way"] },
    begin: asking(({ feed }) => (i) => {
      const id = turn(feed.dense, i * 7);
      return i % 2 === 0 ? { path: `/m/${id}`, headers: PAGE } : { path: `/api/messages/${id}/graph?depth=6` };
    }),
  },
  {
    name: "threads",
    sends: "a thread of 20,000, as JSON, as Markdown and as a page, compressed",
    meets: { least: 3, of: ["200", "429 half way"] },
    moreMiB: CACHES_MIB,
    begin: asking(
      ({ feed: { thread } }) =>
        (i) => {
          const at = `/api/messages/${thread}/thread`;
          return [
            { path: `${at}?include=`, headers: GZIP },
            { path: `${at}?format=md`, headers: GZIP },
            { path: `/m/${thread}`, headers: PAGE },
          ][i % 3]!;
        },
      { known: 3 },
    ),
  },
  {
    name: "dumps",
    sends: "dumps of the whole board, compressed, all at once",
    meets: { least: 2, of: ["200", "200 begun"] },
    begin: asking(() => () => ({ path: "/api/dump.jsonl.gz" })),
  },
  {
    name: "proofs",
    sends: "proofs that messages are in the log, each for another message",
    meets: { least: 100, of: ["200"] },
    begin: asking(({ feed }) => (i) => ({ path: `/api/messages/${turn(feed.dense, i * 7)}/proof` })),
  },
  {
    name: "meanings",
    sends: "searches by the meaning of long texts, and for messages near a message",
    meets: { least: 10, of: ["200"] },
    begin: asking(({ feed }) => (i) => {
      const text = encodeURIComponent(`${i} ${"why does the build of the index take so long here ".repeat(30)}`);
      return [
        { path: `/api/similar?text=${text}&limit=50` },
        { path: `/api/messages?near=${text}&limit=200` },
        { path: `/api/messages?near=${turn(feed.dense, i)}&limit=200` },
      ][i % 3]!;
    }),
  },
  PHRASES,
  {
    name: "inboxes",
    sends: "inboxes and the longest briefs of the authors of most messages",
    meets: { least: 50, of: ["200"] },
    begin: asking(({ feed: { gone } }) => (i) => {
      const agent = turn(gone.authors, i);
      return i % 2 === 0 ? { path: `/api/inbox/${agent}?limit=200&after_seq=${i}` } : { path: `/api/brief?agent=${agent}&budget=100000` };
    }),
  },
  {
    name: "mcp-bodies",
    sends: "calls over MCP with 24,000 names, or 1 MB of numbers or of empty objects",
    meets: { least: 10, of: ["400"] },
    begin: asking(() => (i) => [MANY_KEYS, MANY_NUMBERS, MANY_OBJECTS][i % 3]!),
  },
  {
    name: "mcp-pages",
    sends: "the largest pages of messages over MCP, as text and as JSON",
    meets: { least: 50, of: ["200"] },
    begin: asking(
      () => (i) => {
        const meta = i % 2 === 0 ? "" : ',"_meta":{"agent-blackboard/structured":true}';
        return mcp(
          `{"name":"search_messages","arguments":{"limit":200,"sort":"old","include":"raw,body","since":"${HOURS - (i % 3)}h"}${meta}}`,
        );
      },
      { known: 6 },
    ),
  },
  {
    name: "mcp-waits",
    sends: "20 calls over MCP that wait, each with 750 KB in one text",
    meets: { least: WAITING, of: ["200"] },
    warmS: LONG_WARM_S,
    begin: async ({ caller, seconds }) => {
      const reader = new Caller(caller.port, READER);
      await Promise.all(Array.from({ length: WAITING }, () => reader.ask(longWait(1))));
      reader.leave();
      return async () => {
        const wait = Math.max(1, Math.floor(seconds) - WAITS_END_S);
        const ask = longWait(wait);
        const sent = caller.pace({ burst: WAITING, perSecond: 0 }, seconds, () => ask);
        await pause(wait * 500);
        const early = caller.heard["200"] ?? 0;
        await sent;
        return { early };
      };
    },
    judge: ({ notes: { early = 0 } }) => [{ held: early === 0, words: `${early} of the waits ended early` }],
  },
  {
    name: "unknown-paths",
    sends: "400 requests a second for what is not there (404, 405), for probes, OPTIONS and /metrics",
    meets: { least: 50, of: ["404"] },
    begin: asking(() => (i) => turn(ABSENT, i), { known: ABSENT.length, pace: { burst: READS.burst, perSecond: 400 } }),
    judge({ heard, seconds }) {
      const answered = Object.entries(heard).reduce((sum, [status, n]) => (/^(429|none|left)$/.test(status) ? sum : sum + n), 0);
      const most = READS.burst + READS.perSecond * (seconds + 1);
      return [{ held: answered <= most, words: `${answered} answered with anything but 429 (${most} at most)` }];
    },
  },
];
