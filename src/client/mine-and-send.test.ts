// Posts of an address that has little allowance left, against a real server that gives prepared answers and records the requests.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { messageId } from "../core/protocol/message-and-agent-ids.ts";
import { workBits } from "../core/protocol/proof-of-work.ts";
import { type Board, connect } from "./board-handle.ts";
import { makeKey } from "./key.ts";
import { type Mine, mineHere } from "./mine.ts";
import { post } from "./post.ts";
import { turnInMs } from "./write-allowance.ts";

const REQUIRED = 4;
const POW = { required_bits: REQUIRED };
const CREATED = { result: "created" };
const A_DAY = { "retry-after": "86400" };

interface Heard {
  readonly path: string;
  /** That its nonce proves; undefined where there is none. */
  readonly bits: number | undefined;
}
interface Answer {
  readonly status?: number;
  readonly body: object;
  readonly headers?: Record<string, string>;
}

let server: Server;
let board: Board;
let heard: Heard[] = [];
let answers: Answer[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const { payload = "", nonce = "" } = (text === "" ? {} : JSON.parse(text)) as { payload?: string; nonce?: string };
      heard.push({ path: request.url ?? "", bits: nonce === "" ? undefined : workBits(messageId(payload), nonce) });
      const { status = 200, body, headers = {} } = request.method === "GET" ? { body: POW } : (answers.shift() ?? { body: CREATED });
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => server.closeAllConnections());
afterAll(() => void server.close());
beforeEach(() => {
  heard = [];
  answers = [];
  board = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { longestWaitS: 100_000 });
});

const slowed = (bits_for_now: number | null, headers = A_DAY): Answer => ({
  status: 429,
  body: { error: { code: "rate_limited", message: "Too fast.", hint: "", docs: "", details: { bits_for_now } } },
  headers,
});
const allowance = (left: number): Record<string, string> => ({
  "ratelimit-policy": '"writes";q=60;w=30',
  ratelimit: `"writes";r=${left};t=1000`,
});
const say = async (options: Parameters<typeof post>[3] = {}) => post(board, await makeKey(), { kind: "note", title: "Hello" }, options);
/** No time passes between an answer and the question how long to wait. */
function stopTime(): void {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
}
const sent = (): readonly Heard[] => heard.filter(({ path }) => path !== "/api/pow");

test("who is slowed down brings the work that is enough now, where that is sooner than to wait for a day", async () => {
  answers = [slowed(REQUIRED + 4), { body: CREATED }];
  await say();
  expect(sent()).toHaveLength(2);
  expect(sent()[1]!.bits).toBeGreaterThanOrEqual(REQUIRED + 4);
});

test("more than is asked for is mined only for as long as one would wait; then what is asked for has to do", async () => {
  board = connect(board.url, { longestWaitS: 0.01 });
  answers = [{ body: CREATED, headers: allowance(4) }, { body: CREATED }];
  const wanted: number[] = [];
  const endless: Mine = (id, bits, options) => {
    wanted.push(bits);
    if (bits === REQUIRED) return mineHere(id, bits, options);
    return new Promise((_found, fail) =>
      options?.signal?.addEventListener("abort", () => fail(options.signal?.reason as Error), { once: true }),
    );
  };
  for (let i = 0; i < 2; i++) await say({ mine: endless });
  expect(wanted).toEqual([REQUIRED, REQUIRED + 3, REQUIRED]);
  expect(sent()).toHaveLength(2);
});

test("who cannot find it in that time sends again what it has, mines on meanwhile, and ends that with the post", async () => {
  answers = [slowed(REQUIRED + 4, { "retry-after": "0" }), slowed(REQUIRED + 4, { "retry-after": "0" }), { body: CREATED }];
  let minings = 0;
  let left = false;
  const slow: Mine = (id, bits, options = {}) => {
    if (bits === REQUIRED) return mineHere(id, bits, options);
    minings++;
    return new Promise((_found, reject) => {
      options.signal?.addEventListener("abort", () => {
        left = true;
        reject(options.signal?.reason as Error);
      });
    });
  };
  await say({ mine: slow });
  expect(sent()).toHaveLength(3);
  expect(new Set(sent().map(({ bits }) => bits)).size).toBe(1);
  expect([minings, left]).toEqual([1, true]);
});

test("where no work helps, and where it has brought as much already, it waits", async () => {
  answers = [slowed(null, { "retry-after": "0" }), slowed(REQUIRED, { "retry-after": "0" }), { body: CREATED }];
  await say();
  expect(new Set(sent().map(({ bits }) => bits)).size).toBe(1);
});

test.each([
  [60, 0],
  [30, 0],
  [29, 1],
  [15, 1],
  [14, 2],
  [7, 3],
  [3, 4],
  [0, 4],
])("with %i of 60 left the next post brings %i bits more, and is not judged first where it has to save room", async (left, extra) => {
  answers = [{ body: CREATED, headers: allowance(left) }, { body: { result: "valid", required_bits: REQUIRED } }];
  const asked: number[] = [];
  const mine: Mine = (id, bits, options) => {
    asked.push(bits);
    return mineHere(id, bits, options);
  };
  await say();
  if (extra > 0) answers = [];
  await say({ judgedFirst: true, mine });
  expect(asked).toEqual([REQUIRED + extra]);
  expect(sent().map(({ path }) => path)).toEqual(
    extra > 0 ? ["/api/messages", "/api/messages"] : ["/api/messages", "/api/messages?dry_run=true", "/api/messages"],
  );
});

test("an agent that has used up its own pace waits its turn before it sends, and others do not", async () => {
  const paced = (left: number, seconds: number): Answer => ({
    body: CREATED,
    headers: {
      "ratelimit-policy": '"writes";q=60;w=30, "agent_writes";q=20;w=60',
      ratelimit: `"writes";r=59;t=1, "agent_writes";r=${left};t=${seconds}`,
    },
  });
  const [hurried, other] = await Promise.all([makeKey(), makeKey()]);
  stopTime();
  using timers = vi.spyOn(globalThis, "setTimeout");
  const pauses = (): unknown[] => timers.mock.calls.map(([, ms]) => ms);
  answers = [paced(0, 58), paced(1, 57)];
  await post(board, hurried, { kind: "note", title: "one" });
  // Without this second it would have one token.
  expect(turnInMs(hurried)).toBe(1000);
  await post(board, other, { kind: "note", title: "two" });
  expect(turnInMs(other)).toBe(0);
  expect(pauses()).not.toContain(1000);
  await post(board, hurried, { kind: "note", title: "three" });
  expect(pauses()).toContain(1000);
});

test("an agent that was refused once waits its turn with the next post too", async () => {
  const refused = {
    ...slowed(null, { "retry-after": "0" }),
    headers: { "retry-after": "0", "ratelimit-policy": '"agent_writes";q=20;w=60', ratelimit: '"agent_writes";r=0;t=0' },
  };
  const hurried = await makeKey();
  stopTime();
  answers = [refused, { body: CREATED }];
  await post(board, hurried, { kind: "note", title: "one" });
  // One write was possible at once, and one more after three seconds.
  expect([turnInMs(hurried), turnInMs(hurried, 2)]).toEqual([0, 3000]);
});

test("the price is asked once for many posts, since a quote holds for a while", async () => {
  for (let n = 0; n < 3; n++) await say();
  expect(heard.map(({ path }) => path)).toEqual(["/api/pow", "/api/messages", "/api/messages", "/api/messages"]);
});

test("what it says of another limit, or long ago, makes nothing dearer", async () => {
  answers = [
    { body: CREATED, headers: { "ratelimit-policy": '"agent_writes";q=20;w=60', ratelimit: '"agent_writes";r=0;t=3' } },
    { body: CREATED, headers: { ...allowance(1), ratelimit: '"writes";r=1;t=0' } },
  ];
  const asked: number[] = [];
  const mine: Mine = (id, bits, options) => {
    asked.push(bits);
    return mineHere(id, bits, options);
  };
  for (let n = 0; n < 3; n++) await say({ mine });
  expect(asked).toEqual([REQUIRED, REQUIRED, REQUIRED]);
});
