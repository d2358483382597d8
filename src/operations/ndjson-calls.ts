// Many calls of one operation in one request, one per line: each is admitted, paid for and answered like a single request.
import { errorBody, Refusal } from "../core/errors.ts";
import type { AdmittedCall, Asked } from "./call-steps.ts";
import type { LineReply, Reply, BundleCalls } from "./operation.ts";

export const LINES_TYPE = "application/x-ndjson";

/** One line of a body; `bytes` is its length. */
export interface BodyLine {
  readonly bytes: number;
  /** Throws if the bytes are not text. */
  text(): string;
}

export interface LinesParts {
  readonly baseUrl: string;
  /** Counts a refusal and returns its body. */
  readonly refusalOf: (error: unknown) => Refusal;
}

interface Answered {
  readonly text: string;
  readonly payer?: string | undefined;
}

/** How long lines are read before other requests get a turn. */
const TURN_MS = 2;

/** The whole answer, when everything that it reports is on disk. */
export async function answerLines(
  call: AdmittedCall,
  bundle: BundleCalls<unknown>,
  lines: readonly BodyLine[],
  asked: Pick<Asked, "params" | "query">,
  parts: LinesParts,
): Promise<Reply> {
  const answers: Promise<Answered>[] = [];
  let usedMs = 0;
  // An empty request still costs its own price.
  if (lines.length > 0) call.payNothing();
  for (const line of lines) {
    if (!bundle.whole && !call.couldAdmit(line.bytes)) {
      // Waits until earlier lines have refunded the tokens that they did not need.
      await bundle.flush();
      await Promise.all(answers);
    }
    const { answer } = await begin(line, () => call.another((ms) => (usedMs += ms)), asked, bundle, parts);
    answers.push(answer);
    if (usedMs < TURN_MS) continue;
    await call.rest(usedMs);
    usedMs = 0;
  }
  await bundle.flush();
  const answered = await Promise.all(answers);
  const [payer, ...others] = new Set(answered.flatMap((one) => one.payer ?? []));
  if (payer !== undefined && others.length === 0) call.succeeded({ payer });
  return { type: LINES_TYPE, body: answered.map(({ text }) => `${text}\n`).join("") };
}

/** Reads a line and makes the checks that do not depend on earlier lines; it never rejects. */
async function begin(
  line: BodyLine,
  admit: () => AdmittedCall,
  { params, query }: Pick<Asked, "params" | "query">,
  bundle: BundleCalls<unknown>,
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
      return bundle.add(admitted.read({ params, query, text: line.text() }).body, admitted.payForStored);
    });
    return { answer: reply.then((done) => answered(admitted, done)).catch(refused) };
  } catch (error) {
    return { answer: Promise.resolve(refused(error)) };
  }
}

function answered(call: AdmittedCall, { status = 200, body, tokens = 1, payer }: LineReply): Answered {
  call.succeeded({ tokens });
  call.end(status);
  return { text: JSON.stringify({ status, ...body }), payer };
}
