// Recorded runs, one line of JSON each, and how a new run compares with the last one on the same machine.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { arch, availableParallelism, cpus, platform, totalmem } from "node:os";
import { commit } from "./git-commit.ts";
import { type Figure, shareOfCeiling } from "./figure.ts";

export interface Run {
  readonly bench: string;
  readonly at: string;
  readonly commit: string;
  readonly machine: string;
  readonly node: string;
  readonly figures: Readonly<Record<string, Recorded>>;
}

export interface Recorded {
  readonly value: number;
  readonly unit: string;
  readonly ofCeiling?: number;
  /** The name of the ceiling: shares of different ceilings cannot be compared. */
  readonly ceiling?: string;
}

export interface Change {
  readonly before: Recorded;
  readonly at: string;
  /** 0.1 is a tenth better. If both runs have the same ceiling, shares of it are compared, which removes changes of the machine's speed. */
  readonly better: number | undefined;
}

const rounded = (value: number): number => Number(value.toPrecision(4));

/** `state` is the commit at which it was measured. */
export function runOf(bench: string, figures: readonly Figure[], now: Date, state = commit()): Run {
  return {
    bench,
    at: now.toISOString(),
    commit: state,
    machine: `${availableParallelism()} x ${cpus()[0]?.model.trim() ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${platform()} ${arch()}`,
    node: process.version,
    figures: Object.fromEntries(
      figures.map((figure) => {
        const share = shareOfCeiling(figure);
        const { value, unit, ceiling } = figure;
        const beside = share === undefined || ceiling === undefined ? {} : { ofCeiling: rounded(share), ceiling: ceiling.name };
        return [figure.name, { value: rounded(value), unit, ...beside }];
      }),
    ),
  };
}

export class History {
  readonly #path: string;
  readonly #runs: readonly Run[];

  constructor(path: string) {
    this.#path = path;
    const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
    this.#runs = lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Run);
  }

  record(run: Run): void {
    appendFileSync(this.#path, `${JSON.stringify(run)}\n`);
  }

  /** Compares with the newest run of this bench on the same kind of machine that has the figure. */
  change(run: Run, { name, better }: Figure): Change | undefined {
    const last = this.#runs.findLast(
      ({ bench, machine, figures }) => bench === run.bench && machine === run.machine && Object.hasOwn(figures, name),
    );
    const [before, now] = [last?.figures[name], run.figures[name]];
    if (last === undefined || before === undefined || now === undefined) return undefined;
    return { before, at: last.at, better: better === undefined ? undefined : gain(before, now, better) };
  }
}

function gain(before: Recorded, now: Recorded, better: "more" | "less"): number {
  if (before.ofCeiling !== undefined && now.ofCeiling !== undefined && before.ceiling === now.ceiling)
    return now.ofCeiling / before.ofCeiling - 1;
  return better === "more" ? now.value / before.value - 1 : before.value / now.value - 1;
}
