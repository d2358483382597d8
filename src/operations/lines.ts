// Many calls of one operation in one request, one a line: each is let in, paid for and answered as if it came alone.
import { errorBody, Refusal } from "../core/errors.ts";
import type { AdmittedCall, Asked } from "./call.ts";
import type { LineReply, Reply, BundleCalls } from "./operation.ts";

export const LINES_TYPE = "application/x-ndjson";

/** As it was sent. */
export interface BodyLine {
  readonly bytes: number;
  /** Throws where it is no text. */
  text(): string;
}

export interface LinesParts {
  readonly baseUrl: string;
  /** Counts a refusal, and has the words for it. */
  readonly refusalOf: (error: unknown) => Refusal;
}

interface Answered {
  readonly text: string;
  readonly agent?: string | undefined;
}

/** Lines are read for so long before others have a turn. */
const TURN_MS = 2;

/** The whole answer, once everything is done: what it says is on disk. */
export async function answerLines(
  call: AdmittedCall,
  together: BundleCalls<unknown>,
  lines: readonly BodyLine[],
  asked: Pick<Asked, "params" | "query">,
  parts: LinesParts,
): Promise<Reply> {
  const answers: Promise<Answered>[] = [];
  let usedMs = 0;
  // An empty request still costs its own price.
  if (lines.length > 0) call.payNothing();
  for (const line of lines) {
    if (!together.whole && !call.hasRoomFor(line.bytes)) {
      // Those before give back what they did not need.
      await together.settle();
      await Promise.all(answers);
    }
    const { answer } = await begin(line, () => call.another((ms) => (usedMs += ms)), asked, together, parts);
    answers.push(answer);
    if (usedMs < TURN_MS) continue;
    await call.rest(usedMs);
    usedMs = 0;
  }
  await together.settle();
  const answered = await Promise.all(answers);
  const [agent, ...others] = new Set(answered.flatMap((one) => one.agent ?? []));
  if (agent !== undefined && others.length === 0) call.settle({ agent });
  return { type: LINES_TYPE, body: answered.map(({ text }) => `${text}\n`).join("") };
}

/** Read, and checked as far as that goes without those before it; the answer comes once it is settled. It never fails. */
async function begin(
  line: BodyLine,
  admit: () => AdmittedCall,
  { params, query }: Pick<Asked, "params" | "query">,
  together: BundleCalls<unknown>,
  parts: LinesParts,
): Promise<{ readonly answer: Promise<Answered> }> {
  let call: AdmittedCall | undefined;
  const refused = (error: unknown): Answered => {
    const refusal = parts.refusalOf(error);
    call?.end(refusal.status);
    return { text: JSON.stringify({ status: refusal.status, ...errorBody(refusal, parts.baseUrl) }) };
  };
  try {
    const admitted = (call = admit());
    const { reply } = await admitted.work(async () => {
      admitted.countBytes(line.bytes);
      return together.add(admitted.read({ params, query, text: line.text() }).body);
    });
    return { answer: reply.then((done) => answered(admitted, done)).catch(refused) };
  } catch (error) {
    return { answer: Promise.resolve(refused(error)) };
  }
}

function answered(call: AdmittedCall, { status = 200, body, tokens = 1, agent }: LineReply): Answered {
  call.settle({ tokens });
  call.end(status);
  return { text: JSON.stringify({ status, ...body }), agent };
}
