// The learned part of the guard: scores how similar a text is to texts that instruct their reader, by a table of weights. No model is run.
import { FEATURE_BUCKETS, FACTS, factsOf, runsOf } from "./features.ts";
import { PlainText } from "./normalized-text.ts";

/** The table of weights. */
export interface RiskTable {
  readonly bias: number;
  /** The lowest scores of risk 1, 2 and 3. */
  readonly levels: readonly [number, number, number];
  readonly facts: Float32Array;
  /** For each bucket, in steps of `step`. */
  readonly runs: Int8Array;
  readonly step: number;
}

/** "RSK1", the numbers of facts and of buckets, bias, levels and step; then the facts in four bytes each, and the runs in one. */
const MAGIC = 0x314b5352;
const HEADER = 32;

export function readRiskTable(file: Uint8Array): RiskTable {
  const bytes = new Uint8Array(file);
  const view = new DataView(bytes.buffer);
  const length = HEADER + 4 * FACTS + FEATURE_BUCKETS;
  if (
    bytes.length !== length ||
    view.getUint32(0, true) !== MAGIC ||
    view.getUint32(4, true) !== FACTS ||
    view.getUint32(8, true) !== FEATURE_BUCKETS
  )
    throw new Error(
      `This is no table of risks for this version: it should begin with RSK1 and have ${length} bytes. npm run train:guard makes one.`,
    );
  const number = (at: number): number => view.getFloat32(at, true);
  return {
    bias: number(12),
    levels: [number(16), number(20), number(24)],
    step: number(28),
    facts: new Float32Array(bytes.buffer, HEADER, FACTS),
    runs: new Int8Array(bytes.buffer, HEADER + 4 * FACTS),
  };
}

export function writeRiskTable({ bias, levels, step, facts, runs }: RiskTable): Uint8Array {
  const bytes = new Uint8Array(HEADER + 4 * FACTS + FEATURE_BUCKETS);
  const view = new DataView(bytes.buffer);
  for (const [at, number] of [MAGIC, FACTS, FEATURE_BUCKETS].entries()) view.setUint32(4 * at, number, true);
  for (const [at, number] of [bias, ...levels, step].entries()) view.setFloat32(12 + 4 * at, number, true);
  for (const [at, number] of facts.entries()) view.setFloat32(HEADER + 4 * at, number, true);
  bytes.set(new Uint8Array(runs.buffer, runs.byteOffset, runs.length), HEADER + 4 * FACTS);
  return bytes;
}

/**
 * A long text is scored in windows, because instructions may be a small part of it. There are at most WINDOWS windows, and the last one is
 * the end of the text.
 */
const WINDOW = 1000;
const STRIDE = 800;
const WINDOWS = 12;

export function windowsOf(text: string): readonly string[] {
  if (text.length <= WINDOW) return [text];
  const starts: number[] = [];
  for (let at = 0; at + WINDOW - STRIDE < text.length && starts.length < WINDOWS - 1; at += STRIDE) starts.push(at);
  const last = text.length - WINDOW;
  return [...starts.filter((at) => at < last), last].map((at) => text.slice(at, at + WINDOW));
}

/** The highest of its windows; `text` is as a reader sees it. Callers with many texts give their own `plain`, which is reused. */
export const riskScore = (table: RiskTable, text: string, plain = new PlainText()): number =>
  Math.max(...windowsOf(text).map((window) => windowScore(table, window, plain)));

function windowScore({ bias, facts, runs, step }: RiskTable, text: string, plain: PlainText): number {
  const buckets = runsOf(plain.read(text));
  let sum = 0;
  for (let at = 0; at < buckets.length; at++) sum = (sum + runs[buckets[at]!]!) | 0;
  let score = bias + (sum * step) / Math.sqrt(Math.max(1, buckets.length));
  const found = factsOf(text, plain);
  for (let at = 0; at < FACTS; at++) score += facts[at]! * found[at]!;
  return score;
}
