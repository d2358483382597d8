// Posts many messages at once, such as a plan of tasks: they are signed in order, because each may refer to earlier ones, and sent together.
import type { PostedLine } from "./response-types.ts";
import { BoardError, refusalIn } from "./board-error.ts";
import { utf8 } from "./bytes.ts";
import { callLines, PASSING } from "./call.ts";
import type { Board } from "./board-handle.ts";
import { type Signed, signMessage } from "./sign-message.ts";
import type { Signer } from "./key.ts";
import { mineHere } from "./mine.ts";
import { pause } from "./pause.ts";
import { fieldsOf, namesIn, notThere, type Planned, requireNames } from "./plan-local-names.ts";
import { quotedBits } from "./post.ts";
import { getTime } from "./read.ts";
import { extraBits, noteAllowance, timesNow, turnInMs } from "./write-allowance.ts";
import type { WorkOptions } from "./mine-and-send.ts";

export interface PlanOptions extends WorkOptions {
  /** Bits of proof of work for each message; chosen as for a single message unless given. */
  readonly bits?: number | undefined;
}

/** The result of one message of a plan. */
export interface PlanAnswer {
  /** Its position in the plan, from 0. */
  readonly place: number;
  readonly message: Planned;
  readonly posted?: PostedLine & { readonly id: string };
  /** The refusal, if it was refused. */
  readonly error?: BoardError;
}

interface Line {
  readonly place: number;
  readonly message: Planned;
  signed?: Signed | undefined;
  work?: { readonly bits: number; readonly nonce: string } | undefined;
  least: number;
}

/** The size of the first bundle, before the board has said how much an agent may post; usual limits allow it. */
const FIRST_LINES = 20;
/** An agent that has reached its limit waits until it may post this many, because smaller bundles would take longer. */
const LINES_A_TURN = 10;
/** The largest request, less a margin. */
const MOST_LINES = 100;
const MOST_BYTES = 1_000_000;

/**
 * Posts a plan in bundles as large as the limits allow, and yields the result of each message as soon as it is known. Messages that meet
 * a rate limit are sent again. If nothing was posted for as long as one call may wait, it gives up and throws the refusal.
 */
export async function* postMany(
  board: Board,
  key: Signer,
  plan: readonly Planned[],
  options: PlanOptions = {},
): AsyncGenerator<PlanAnswer> {
  requireNames(plan);
  const run = new PlanRun(board, key, options);
  let waiting: readonly Line[] = plan.map((message, place) => ({ place, message, least: 0 }));
  let patientUntil = performance.now() + board.longestWaitS * 1000;
  while ((waiting = yield* run.withoutLost(waiting)).length > 0) {
    await run.turn(waiting.length);
    const sent = await run.bundle(waiting);
    const answers = await run.send(sent);
    const again: Line[] = [];
    for (const [i, line] of sent.entries()) {
      const answer = await run.answerTo(line, answers[i]!, again);
      if (answer === undefined) again.push(line);
      else yield answer;
    }
    if (again.length < sent.length) patientUntil = performance.now() + board.longestWaitS * 1000;
    else if (run.slowed !== undefined && performance.now() + run.slowed.ms > patientUntil) throw run.slowed.error;
    if (run.slowed !== undefined) await pause(run.slowed.ms, options.signal);
    waiting = [...again, ...waiting.slice(sent.length)];
  }
}

/** Checks a plan of up to 100 messages, each after the ones before it; nothing is mined or written. */
export async function checkMany(
  board: Board,
  key: Signer,
  plan: readonly Planned[],
  options: PlanOptions = {},
): Promise<readonly PlanAnswer[]> {
  requireNames(plan);
  if (plan.length > MOST_LINES) throw new Error(`A dry run takes ${MOST_LINES} messages at most; the plan has ${plan.length}.`);
  const run = new PlanRun(board, key, options);
  const lines: Line[] = plan.map((message, place) => ({ place, message, least: 0 }));
  for (const line of lines) await run.sign(line);
  return (await run.send(lines, true)).map((answer, i) => run.checked(lines[i]!, answer));
}

/** One plan while it is being posted. */
class PlanRun {
  readonly #board: Board;
  readonly #key: Signer;
  readonly #options: PlanOptions;
  /** The ids of messages that are posted or were sent. */
  readonly #ids = new Map<string, string>();
  readonly #refused = new Set<string>();
  /** How much the board's clock is ahead of this machine's, known after the board has refused a `ts`. */
  #aheadS: number | undefined;
  #mostLines = FIRST_LINES;
  /** The refusal because of which messages wait, and for how long. */
  slowed: { readonly ms: number; readonly error: BoardError } | undefined;

  constructor(board: Board, key: Signer, options: PlanOptions) {
    this.#board = board;
    this.#key = key;
    this.#options = options;
  }

  /** The messages that do not refer to a refused one. */
  *withoutLost(waiting: readonly Line[]): Generator<PlanAnswer, readonly Line[]> {
    const left: Line[] = [];
    for (const line of waiting) {
      const lost = namesIn(line.message).find((name) => this.#refused.has(name));
      if (lost === undefined) left.push(line);
      else yield this.#refuse(line, notThere(lost));
    }
    return left;
  }

  /** A message that refers to a refused one would not be posted, whatever the board says of it alone. */
  checked(line: Line, answer: PostedLine): PlanAnswer {
    const result = answered(line, answer);
    const lost = namesIn(line.message).find((name) => this.#refused.has(name));
    const error = lost === undefined ? result.error : notThere(lost);
    return error === undefined ? result : this.#refuse(line, error);
  }

  /** Waits until the agent may write again, if it has reached its limit. */
  async turn(lines: number): Promise<void> {
    if ((timesNow(this.#key) ?? 1) >= 1) return;
    const ms = Math.min(turnInMs(this.#key, Math.min(lines, LINES_A_TURN)), this.#board.longestWaitS * 1000);
    if (ms > 0) await pause(ms, this.#options.signal);
  }

  /** Signs and mines as many of the first messages as the limits allow. */
  async bundle(waiting: readonly Line[]): Promise<readonly Line[]> {
    const most = Math.max(1, Math.min(MOST_LINES, timesNow(this.#key) ?? this.#mostLines));
    const lines: Line[] = [];
    let bytes = 0;
    for (const line of waiting.slice(0, most)) {
      const signed = await this.sign(line);
      bytes += utf8(JSON.stringify(signed)).length;
      if (bytes > MOST_BYTES && lines.length > 0) break;
      lines.push(line);
    }
    for (const line of lines) await this.#mine(line, lines.length);
    return lines;
  }

  async sign(line: Line): Promise<Signed> {
    const { message } = line;
    const ts = Math.floor(Date.now() / 1000) + (this.#aheadS ?? 0);
    const signed = (line.signed ??= await signMessage(this.#key, fieldsOf(message, this.#ids), { ts, files: message.files ?? [] }));
    if (message.name !== undefined) this.#ids.set(message.name, signed.id);
    return signed;
  }

  async #mine(line: Line, lines: number): Promise<void> {
    const { mine = mineHere, bits: given, ...options } = this.#options;
    if (line.work !== undefined && line.work.bits >= line.least) return;
    const bits = Math.max(line.least, given ?? (await quotedBits(this.#board, options)) + extraBits(this.#board, lines));
    line.work = { bits, nonce: await mine(line.signed!.id, bits, options) };
  }

  async send(lines: readonly Line[], dryRun = false): Promise<readonly PostedLine[]> {
    const envelopes = lines.map(({ signed, work }) => {
      const { id: _id, ...envelope } = signed!;
      return { ...envelope, nonce: work?.nonce ?? "" };
    });
    const request = {
      query: dryRun ? { dry_run: true } : {},
      signal: this.#options.signal,
      onResponse: noteAllowance(this.#board, this.#key),
    };
    const answers = await callLines<PostedLine>(this.#board, "/api/messages", envelopes, request);
    if (answers.length !== lines.length)
      throw new BoardError({
        code: "unexpected_answer",
        message: `${lines.length} lines were sent, but the answer has ${answers.length}.`,
        status: 200,
      });
    this.#mostLines = MOST_LINES;
    this.slowed = undefined;
    return answers;
  }

  /** Undefined if the message must be sent again, together with the earlier ones in `again`. */
  async answerTo(line: Line, answer: PostedLine, again: readonly Line[]): Promise<PlanAnswer | undefined> {
    const result = answered(line, answer);
    const { error } = result;
    if (error === undefined) return result;
    return (await this.#mayBeSentAgain(line, error, again)) ? undefined : this.#refuse(line, error);
  }

  async #mayBeSentAgain(line: Line, error: BoardError, again: readonly Line[]): Promise<boolean> {
    if (PASSING.has(error.code)) {
      this.slowed = { ms: Math.max(this.slowed?.ms ?? 0, 1000 * Number(error.details["retry_after_s"] ?? 1)), error };
      return true;
    }
    const asked = Number(error.details["required_bits"]);
    if (error.code === "pow_insufficient" && asked > (line.work?.bits ?? 0)) {
      line.least = asked;
      return true;
    }
    if (error.code === "ts_out_of_range" && (this.#aheadS === undefined || again.some(({ signed }) => signed === undefined))) {
      this.#aheadS ??= (await getTime(this.#board, this.#options)).unix - Math.floor(Date.now() / 1000);
      unsign(line);
      return true;
    }
    // The message that it refers to is sent again, and may get another id.
    const waitsFor = (name: string): boolean => again.some(({ message }) => message.name === name);
    if (error.code !== "target_unknown" || !namesIn(line.message).some(waitsFor)) return false;
    if (again.some(({ signed, message }) => signed === undefined && namesIn(line.message).includes(message.name ?? ""))) unsign(line);
    return true;
  }

  #refuse(line: Line, error: BoardError): PlanAnswer {
    if (line.message.name !== undefined) this.#refused.add(line.message.name);
    return { place: line.place, message: line.message, error };
  }
}

function unsign(line: Line): void {
  line.signed = undefined;
  line.work = undefined;
}

function answered({ place, message }: Line, answer: PostedLine): PlanAnswer {
  const { status, id, error } = answer;
  if (error !== undefined) return { place, message, error: refusalIn(error, status) };
  if (id === undefined) throw new BoardError({ code: "unexpected_answer", message: "A line of the answer has no id.", status });
  return { place, message, posted: { ...answer, id } };
}
