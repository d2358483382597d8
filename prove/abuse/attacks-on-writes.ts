// Posts and streams that cost the board more than they should: bytes, work for the writer, filters to match, leases and reports.
import { createHash, randomBytes, randomInt } from "node:crypto";
import { LIMITS } from "../../src/core/protocol/limits.ts";
import { Agent } from "../../test/support/agent.ts";
import { type Attack, READS, WRITES } from "./attack.ts";
import { type Ask, Caller, JSON_TYPE } from "./caller.ts";
import { ACKS_OF_LONG } from "./attack-on-streams.ts";
import { WORK_TAKEN } from "./attack-on-work.ts";
import { LARGE_BODY } from "./expensive-texts.ts";
import { posting, sealed } from "./sealed-posts.ts";

const agentsOf = (count: number): readonly Agent[] => Array.from({ length: count }, () => new Agent());
const of = <T>(list: readonly T[], i: number): T => list[i % list.length]!;

const FLOATS = `{"v":1,"pk":"${"A".repeat(43)}","ts":1,"kind":"note","data":{"a":[${Array(125_000).fill("0.1").join(",")}]}}`;

const STREAMS = 20;
const PREFIXES = Array.from({ length: 15 }, (_, n) => `qxzj${n}*`).join(" ");
const WORDS = 10_000;
/** As many short words as a text can have; each time others, because copies of one text by many keys are refused. */
const manyWords = (): string =>
  Array.from({ length: WORDS }, () =>
    randomInt(36 ** 2)
      .toString(36)
      .padStart(2, "q"),
  ).join(" ");

const LARGE_POSTS = 150;
/** Between two of the largest, several smaller ones, each with attachments of this size. */
const LARGEST_EVERY = 5;
const SMALLER_BYTES = 6 * 1024;
/** What one of them took on PostgreSQL, the mean of 2,000: most of it for the labels. SQLite took a third. */
const LABELLED_BYTES = 42_738;
const LABELLED_POSTS = 600;
const BURST_BYTES = 2 * 1024 * 1024;
const BYTES_A_SECOND = 8 * 1024;
const ONE_POST_BYTES = 1024 * 1024;
/** Twice the accepted bytes, with their indexes, and what others have posted meanwhile. */
const STORED_MIB = 32;

/** The last seconds of an attack, in which the messages are withdrawn. */
const WITHDRAWN_S = 5;

const PROXY = "127.0.0.9";
const REPORTS = { networks: 2000, perSecond: 400, most: 100 };

export const ATTACKS_ON_WRITES: readonly Attack[] = [
  {
    name: "adoption",
    sends: "dry runs of a message that 20,000 replies wait for",
    meets: { least: 20, of: ["200"] },
    begin: async ({ caller, feed, seconds }) => {
      const ask = posting(JSON.stringify({ ...feed.awaited, nonce: "" }), "/api/messages?dry_run=1");
      return async () => {
        await caller.pace(WRITES, seconds, () => ask);
        return {};
      };
    },
  },
  {
    name: "votes",
    sends: "dry runs of the withdrawal of 16 messages that 5,000 agents voted on, then that withdrawal",
    meets: { least: 20, of: ["200"] },
    begin: async ({ caller, feed, seconds }) => {
      const dry = posting(JSON.stringify({ ...feed.withdrawal, nonce: "" }), "/api/messages?dry_run=1");
      const withdrawal = posting(JSON.stringify(feed.withdrawal));
      // Sent several times, because some requests are refused.
      const last = WRITES.burst + WRITES.perSecond * (seconds - WITHDRAWN_S);
      return async () => {
        await caller.pace(WRITES, seconds, (i) => (i < last ? dry : withdrawal));
        return {};
      };
    },
    judge: ({ heard }) => {
      const withdrawn = heard["201"] === 1;
      return [{ held: withdrawn, words: withdrawn ? "withdrawn in the end" : "never withdrawn" }];
    },
  },
  {
    name: "endings",
    sends: "reads while 3,000 of its messages, with 76 labels each, end together",
    ends: true,
    meets: { least: 20, of: ["410"] },
    begin: async ({ caller, feed, seconds }) => {
      const reads = [`/api/messages/${feed.ending.id}`, "/api/messages?limit=50", "/api/work"];
      return async () => {
        await caller.pace(READS, seconds, (i) => ({ method: "GET", path: of(reads, i) }));
        return {};
      };
    },
  },
  {
    name: "floats",
    sends: "posts with 125,000 fractions in `data`",
    meets: { least: 20, of: ["400"] },
    begin: async ({ caller, seconds }) => {
      const ask = posting(JSON.stringify({ payload: FLOATS, sig: "A".repeat(86), nonce: "1" }));
      return async () => {
        await caller.pace(WRITES, seconds, () => ask);
        return {};
      };
    },
  },
  {
    name: "empty-lines",
    sends: "requests of a million lines, of which all are empty, or all but one that is no message",
    meets: { least: 3, of: ["200", "429 half way"] },
    begin: async ({ caller, seconds }) => {
      const lines = { "content-type": "application/x-ndjson" };
      const bodies = ["\n".repeat(LIMITS.bundle_bytes), `${" \r\n".repeat(LIMITS.bundle_bytes / 3 - 1)}{}`];
      return async () => {
        await caller.pace(WRITES, seconds, (i) => ({ method: "POST", path: "/api/messages", headers: lines, body: of(bodies, i) }));
        return {};
      };
    },
  },
  {
    name: "bytes",
    sends: "the largest posts there are, with four attachments each, and smaller ones that use up what is left, by ever other keys",
    meets: { least: 5, of: ["201"] },
    begin: async ({ caller, seconds }) => {
      const ready = Array.from({ length: LARGE_POSTS }, (_, i) => {
        const size = i % LARGEST_EVERY === 0 ? LIMITS.attachment_bytes : SMALLER_BYTES;
        const texts = Array.from({ length: 4 }, () => randomBytes((size * 3) / 4).toString("base64url"));
        const blobs = Object.fromEntries(texts.map((text) => [createHash("sha256").update(text).digest("hex"), text]));
        const attachments = Object.entries(blobs).map(([sha256, text], n) => ({
          sha256,
          name: `${n}.txt`,
          mime: "text/plain",
          size: text.length,
        }));
        const body = size === SMALLER_BYTES ? `small ${i}` : LARGE_BODY;
        return sealed(new Agent(), { kind: "note", title: `large ${i}`, body, attachments }, { blobs, escaped: true });
      });
      return async () => {
        const answers = await caller.pace(WRITES, seconds, (i) => (i < ready.length ? posting(ready[i]!) : undefined), "stays");
        const taken = answers.flatMap(({ status }, i) => (status === "201" ? [ready[i]?.length ?? 0] : []));
        return { posts: taken.length, bytes: taken.reduce((sum, one) => sum + one, 0) };
      };
    },
    judge({ notes: { bytes = 0, posts = 0 }, seconds, storedMiB }) {
      const most = BURST_BYTES + BYTES_A_SECOND * seconds + ONE_POST_BYTES;
      const day = (Math.max(0, bytes - BURST_BYTES) / seconds) * 86_400;
      return [
        {
          held: bytes <= most,
          words: `${posts} posts with ${mib(bytes)} MiB accepted (${mib(most)} at most; beyond what is free at first ${(day / 1e9).toFixed(1)} GB a day)`,
        },
        { held: storedMiB <= STORED_MIB, words: `${storedMiB.toFixed(0)} MiB more on disk (${STORED_MIB} at most)` },
      ];
    },
  },
  {
    name: "labels",
    sends: "posts of a kilobyte with 76 labels that no other post has, each with the extra work that buys room, by ever other keys",
    meets: { least: 20, of: ["201"] },
    begin: async ({ caller, seconds }) => {
      const labels = (i: number, field: string, count: number) =>
        Array.from({ length: count }, (_, n) => `${field}${(i * 100 + n).toString(36)}`);
      const ready = Array.from({ length: LABELLED_POSTS }, (_, i) => {
        const words = { tags: labels(i, "t", LIMITS.tags), needs: labels(i, "n", LIMITS.needs), offers: labels(i, "o", LIMITS.offers) };
        return posting(sealed(new Agent(), { kind: "note", title: `labels ${i}`, ...words }));
      });
      return async () => {
        const answers = await caller.pace({ burst: 60, perSecond: 20 }, seconds, (i) => ready[i], "stays");
        return { posts: answers.filter(({ status }) => status === "201").length };
      };
    },
    judge({ notes: { posts = 0 }, seconds }) {
      const bytes = posts * LABELLED_BYTES;
      const most = BURST_BYTES + BYTES_A_SECOND * seconds + ONE_POST_BYTES;
      return [{ held: bytes <= most, words: `${posts} posts that take ${mib(bytes)} MiB with their labels (${mib(most)} at most)` }];
    },
  },
  {
    name: "stream-filters",
    sends: "20 streams that look for 16 beginnings of words, and posts of 10,000 words",
    meets: { least: 20, of: ["201"] },
    begin: async ({ caller, seconds }) => {
      const agents = agentsOf(20);
      const ready = Array.from({ length: WRITES.burst + Math.ceil(WRITES.perSecond * seconds) }, (_, i) =>
        posting(sealed(of(agents, i), { kind: "note", title: `words ${i}`, body: manyWords() })),
      );
      const streams = await Promise.all(
        Array.from({ length: STREAMS }, (_, i) =>
          caller.follow({ path: `/api/stream?q=${encodeURIComponent(`${PREFIXES} qxz${i}*`)}&q_mode=any` }),
        ),
      );
      return async () => {
        await caller.pace(WRITES, seconds, (i) => ready[i]);
        return { streams: streams.filter((status) => status === "200").length };
      };
    },
    judge: ({ notes: { streams = 0 } }) => [{ held: streams === STREAMS, words: `${streams} of ${STREAMS} streams granted` }],
  },
  ACKS_OF_LONG,
  WORK_TAKEN,
  {
    name: "reports",
    sends: `${REPORTS.perSecond} reports a second from ever other networks of 64 bits within one of 48`,
    flags: ["--trusted-proxies", PROXY],
    address: PROXY,
    meets: { least: 1, of: ["201"] },
    begin:
      async ({ caller, feed, seconds }) =>
      async () => {
        const reportFrom = (address: string, i: number): Ask => ({
          method: "POST",
          path: "/api/reports",
          headers: { ...JSON_TYPE, "x-forwarded-for": address },
          body: JSON.stringify({ target: feed.thread, category: "spam", explanation: `It is unwanted ${i}.` }),
        });
        const stranger = new Caller(caller.port, PROXY);
        await caller.pace(
          { burst: 0, perSecond: REPORTS.perSecond },
          seconds,
          (i) => reportFrom(`2001:db8:7:${(i % REPORTS.networks).toString(16)}::1`, i),
          "stays",
        );
        const { status } = await stranger.ask(reportFrom("192.0.2.7", -1));
        stranger.leave();
        return { accepted: caller.heard["201"] ?? 0, stranger: Number(status) };
      },
    judge: ({ notes: { accepted = 0, stranger = 0 } }) => [
      { held: accepted <= REPORTS.most, words: `${accepted} reports accepted of one network (${REPORTS.most} at most)` },
      { held: stranger === 201, words: `a stranger's answered ${stranger}` },
    ],
  },
];

const mib = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);
