// Logistic regression over the features of texts. It uses gradient descent with a separate rate for each weight, and always gives the same
// result.
import { FEATURE_BUCKETS, FACTS, factsOf, runsOf } from "../../src/core/guard/risk/features.ts";
import { PlainText } from "../../src/core/guard/risk/normalized-text.ts";
import { type RiskTable, windowsOf } from "../../src/core/guard/risk/scorer.ts";
import { Random } from "../../test/support/random.ts";

export interface Example {
  readonly runs: Int32Array;
  readonly facts: Float32Array;
  readonly label: 0 | 1;
  readonly weight: number;
}

/** One example per window of a text. The windows of an injection share one weight, because only one of them needs to contain it. */
export function examplesOf(text: string, label: 0 | 1): readonly Example[] {
  const windows = windowsOf(text);
  return windows.map((window) => {
    const plain = new PlainText().read(window);
    return { runs: runsOf(plain).slice(), facts: factsOf(window, plain), label, weight: label === 1 ? 1 / windows.length : 1 };
  });
}

const EPOCHS = 10;
const RATE = 0.2;
/** How strongly weights are pulled towards 0. */
const RUN_DECAY = 1e-4;
const FACT_DECAY = 1e-3;
const SEED = 7;

export interface Weights {
  readonly bias: number;
  readonly runs: Float32Array;
  readonly facts: Float32Array;
}

/** Of an injection, only the window counts that looks most like one to a table learned from all windows. */
export function learnTexts(texts: readonly (readonly Example[])[]): Weights {
  const first = learn(texts.flat());
  const best = texts.map((windows) => {
    if (windows.length < 2 || windows[0]?.label !== 1) return windows;
    const found = windows.reduce((a, b) => (scoreOf(first, b) > scoreOf(first, a) ? b : a));
    return [{ ...found, weight: 1 }];
  });
  return learn(best.flat());
}

function learn(examples: readonly Example[]): Weights {
  const runs = new Float32Array(FEATURE_BUCKETS);
  const runSquares = new Float32Array(FEATURE_BUCKETS).fill(1e-6);
  const facts = new Float32Array(FACTS);
  const factSquares = new Float32Array(FACTS).fill(1e-6);
  let bias = 0;
  let biasSquares = 1e-6;
  const random = new Random(SEED);
  const order = [...examples];
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    shuffle(order, random);
    for (const example of order) {
      const probability = 1 / (1 + Math.exp(-scoreOf({ bias, runs, facts }, example)));
      const error = (probability - example.label) * example.weight;
      const share = error / Math.sqrt(Math.max(1, example.runs.length));
      for (const bucket of example.runs) {
        const slope = share + RUN_DECAY * runs[bucket]!;
        runSquares[bucket] = runSquares[bucket]! + slope * slope;
        runs[bucket] = runs[bucket]! - (RATE * slope) / Math.sqrt(runSquares[bucket]);
      }
      for (let at = 0; at < FACTS; at++) {
        const fact = example.facts[at]!;
        if (fact === 0) continue;
        const slope = error * fact + FACT_DECAY * facts[at]!;
        factSquares[at] = factSquares[at]! + slope * slope;
        facts[at] = facts[at]! - (RATE * slope) / Math.sqrt(factSquares[at]!);
      }
      biasSquares += error * error;
      bias -= (RATE * error) / Math.sqrt(biasSquares);
    }
  }
  return { bias, runs, facts };
}

export function scoreOf({ bias, runs, facts }: Weights, example: Example): number {
  let sum = 0;
  for (const bucket of example.runs) sum += runs[bucket]!;
  let score = bias + sum / Math.sqrt(Math.max(1, example.runs.length));
  for (let at = 0; at < FACTS; at++) score += facts[at]! * example.facts[at]!;
  return score;
}

/** Stores each run in eight bits. The largest weights are cut, because a few of them would make all others coarse. */
export function tableOf({ bias, runs, facts }: Weights, levels: RiskTable["levels"]): RiskTable {
  const sizes = runs.map(Math.abs).sort();
  const step = (sizes[Math.floor(0.9999 * (sizes.length - 1))] ?? 1) / 127;
  const rounded = Int8Array.from(runs, (weight) => Math.max(-127, Math.min(127, Math.round(weight / step))));
  return { bias, levels, step, facts, runs: rounded };
}

function shuffle(list: Example[], random: Random): void {
  for (let at = list.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    [list[at], list[other]] = [list[other]!, list[at]!];
  }
}
