// The process of the honest callers: twelve addresses, each within its limits, and how long they wait.
import { Agent } from "../../test/support/agent.ts";
import { quantile } from "../support/memory-and-quantiles.ts";
import { Caller, JSON_TYPE } from "./caller.ts";
import { ABUSE_BITS } from "./attacked-board-flags.ts";
import { type Measure, type Question, QUESTIONS, type Waited } from "./honest-caller-latencies.ts";

const ADDRESSES = Array.from({ length: 12 }, (_, n) => `127.0.0.${n + 20}`);
/** In 30 s there are 600 posts: the 99th percentile is not one slow write to the disk. */
const PER_SECOND: Readonly<Record<Question, number>> = { time: 20, list: 15, post: 20 };
const AGENTS = 40;
const WORDS = 90;
/** Each text is different, because copies posted by several keys need more work. */
const words = (): string => Array.from({ length: WORDS }, () => Math.floor(Math.random() * 36 ** 5).toString(36)).join(" ");

const agents = Array.from({ length: AGENTS }, () => new Agent());
/** Each kind of question has its own turn of addresses; otherwise one address could send all posts. */
const asked: Record<Question, number> = { time: 0, list: 0, post: 0 };
let callers: readonly Caller[] = [];

async function measure({ port, seconds }: Measure): Promise<Waited> {
  if (callers[0]?.port !== port) callers = ADDRESSES.map((address) => new Caller(port, address));
  const refused: Record<string, number> = {};
  const ms: Record<Question, number[]> = { time: [], list: [], post: [] };
  const ready = Array.from({ length: Math.ceil(PER_SECOND.post * seconds) + 1 }, () => post());
  const one = async (question: Question): Promise<void> => {
    const n = asked[question]++;
    const caller = callers[n % callers.length]!;
    const body = question === "post" ? ready.pop() : undefined;
    const start = performance.now();
    const { status } = await (body === undefined
      ? caller.ask({ path: question === "time" ? "/api/time" : `/api/messages?limit=50&after_seq=${n}` })
      : caller.ask({ method: "POST", path: "/api/messages", headers: JSON_TYPE, body }));
    ms[question].push(performance.now() - start);
    if (!status.startsWith("20")) refused[status] = (refused[status] ?? 0) + 1;
  };
  // Requests are sent on schedule, whether or not earlier ones were answered. A caller that waits for each answer would not notice how long
  // others wait.
  const lane = async (question: Question, offset: number): Promise<void> => {
    const start = performance.now() + offset;
    const under: Promise<void>[] = [];
    const [every, most] = [1000 / PER_SECOND[question], seconds * PER_SECOND[question]];
    for (let i = 0; i < most; i++) {
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, start + i * every - performance.now())));
      under.push(one(question));
    }
    await Promise.all(under);
  };
  await Promise.all(QUESTIONS.map((question, i) => lane(question, i * 20)));
  const p99 = { time: quantile(ms.time, 0.99), list: quantile(ms.list, 0.99), post: quantile(ms.post, 0.99) };
  return { p99, answers: ms.time.length + ms.list.length + ms.post.length, refused };
}

let posted = 0;
function post(): string {
  const agent = agents[posted++ % AGENTS]!;
  const payload = JSON.stringify({
    v: 1,
    pk: agent.pk,
    ts: Math.floor(Date.now() / 1000),
    kind: "note",
    title: `seen ${posted} ${Math.random()}`,
    body: words(),
    tags: ["honest", `h${posted % 20}`],
  });
  return JSON.stringify(agent.seal(payload, undefined, ABUSE_BITS));
}

process.on("message", (order: Measure) => {
  void measure(order).then((waited) => process.send?.(waited));
});
process.on("disconnect", () => process.exit(0));
