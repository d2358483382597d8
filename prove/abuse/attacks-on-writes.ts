// Posts and streams that cost the board more than they should: bytes, work for the writer, filters to match, leases and reports.
import { createHash, randomBytes, randomInt } from "node:crypto";
import { messageId } from "../../src/core/protocol/message-and-agent-ids.ts";
import { LIMITS } from "../../src/core/protocol/limits.ts";
import { Agent, type Fields } from "../../test/support/agent.ts";
import { type Attack, WRITES } from "./attack.ts";
import { type Ask, Caller, JSON_TYPE } from "./caller.ts";
import { ABUSE_BITS, BOUGHT_BITS } from "./attacked-board-flags.ts";
import { LARGE_BODY } from "./expensive-texts.ts";

const posting = (body: string, path = "/api/messages"): Ask => ({ method: "POST", path, headers: JSON_TYPE, body });

/** With all the extra proof of work that buys room. */
function sealed(
  agent: Agent,
  fields: Fields,
  { blobs, escaped = false }: { blobs?: Record<string, string>; escaped?: boolean } = {},
): string {
  const plain = JSON.stringify({ v: 1, pk: agent.pk, ts: Math.floor(Date.now() / 1000), ...fields });
  const payload = escaped ? plain.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`) : plain;
  return JSON.stringify(agent.seal(payload, blobs, ABUSE_BITS + BOUGHT_BITS));
}

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
const BURST_BYTES = 2 * 1024 * 1024;
const BYTES_A_SECOND = 8 * 1024;
const ONE_POST_BYTES = 1024 * 1024;
/** Twice the accepted bytes, with their indexes, and what others have posted meanwhile. */
const STORED_MIB = 32;

const TASKS = 16;
const LEASES = 8;
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
    sends: "the largest posts there are, with four attachments each, by ever other keys",
    meets: { least: 1, of: ["201"] },
    begin: async ({ caller, seconds }) => {
      const ready = Array.from({ length: LARGE_POSTS }, (_, i) => {
        const texts = Array.from({ length: 4 }, () => randomBytes((LIMITS.attachment_bytes * 3) / 4).toString("base64url"));
        const blobs = Object.fromEntries(texts.map((text) => [createHash("sha256").update(text).digest("hex"), text]));
        const attachments = Object.entries(blobs).map(([sha256, text], n) => ({
          sha256,
          name: `${n}.txt`,
          mime: "text/plain",
          size: text.length,
        }));
        return sealed(new Agent(), { kind: "note", title: `large ${i}`, body: LARGE_BODY, attachments }, { blobs, escaped: true });
      });
      return async () => {
        const answers = await caller.pace(WRITES, seconds, (i) => (i < ready.length ? posting(ready[i]!) : undefined), "stays");
        const taken = answers.flatMap(({ status }, i) => (status === "201" ? [ready[i]?.length ?? 0] : []));
        return { posts: taken.length, bytes: taken.reduce((sum, one) => sum + one, 0) };
      };
    },
    judge({ notes: { bytes = 0, posts = 0 }, seconds, storedMiB }) {
      const most = BURST_BYTES + BYTES_A_SECOND * seconds + ONE_POST_BYTES;
      const day = (Math.max(0, bytes - BURST_BYTES - ONE_POST_BYTES) / seconds) * 86_400;
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
  {
    name: "leases",
    sends: "one note that claims 16 tasks, then a claim for each, by one key",
    meets: { least: 1, of: ["201"] },
    begin: async ({ caller }) => {
      const [owner, taker] = [new Agent(), new Agent()];
      const neighbour = new Caller(caller.port, "127.0.0.7");
      const tasks: string[] = [];
      for (let i = 0; i < TASKS; i++) {
        const body = sealed(owner, { kind: "task", title: `task ${i} ${Math.random()}` });
        await neighbour.ask(posting(body));
        tasks.push(messageId((JSON.parse(body) as { payload: string }).payload));
      }
      const open = async (): Promise<number> => {
        const states = await Promise.all(tasks.map((id) => neighbour.ask({ path: `/api/messages/${id}` })));
        return states.filter(({ text }) => text.includes('"status":"open"')).length;
      };
      return async () => {
        const refs = tasks.map((id) => ({ rel: "claims" as const, id }));
        await caller.ask(posting(sealed(taker, { kind: "note", title: "mine", lease: "72h", refs })));
        const afterNote = await open();
        const claims: string[] = [];
        for (const id of tasks) {
          const body = sealed(taker, { kind: "claim", lease: "72h", refs: [{ rel: "claims", id }] });
          if ((await caller.ask(posting(body))).status === "201") claims.push(messageId((JSON.parse(body) as { payload: string }).payload));
        }
        const afterClaims = await open();
        const [first = ""] = claims;
        await neighbour.ask(posting(sealed(owner, { kind: "signal", signal: "stale", refs: [{ rel: "on", id: first }] })));
        const afterEnd = await open();
        neighbour.leave();
        return { tasks: tasks.length, afterNote, afterClaims, ended: afterEnd - afterClaims };
      };
    },
    judge: ({ notes: { tasks = 0, afterNote = 0, afterClaims = 0, ended = 0 } }) => [
      { held: afterNote === tasks, words: `${afterNote} of ${tasks} tasks open after the note` },
      { held: afterClaims >= tasks - LEASES, words: `${afterClaims} after the claims (${tasks - LEASES} at least)` },
      { held: ended === 1, words: ended === 1 ? "the asker ended a lease" : "the asker could not end a lease" },
    ],
  },
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
