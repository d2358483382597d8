// Says at the end of a run, in one line, what was skipped and why. A test that is skipped says why in its name: `(skipped: why)`.
import type { Reporter, TestModule } from "vitest/node";

const REASON = /\(skipped: ([^)]+)\)/;

export class SkippedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const names = modules.flatMap((module) => [...module.children.allTests("skipped")].map(({ fullName }) => fullName));
    // After the summary, which is written in this turn.
    setImmediate(() => process.stdout.write(`${skippedLine(names)}\n`));
  }
}

export function skippedLine(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) {
    const [, reason = "no reason given"] = REASON.exec(name) ?? [];
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const said = [...counts].map(([reason, count]) => `${count} ${count === 1 ? "test" : "tests"} (${reason})`);
  return `Skipped: ${said.length === 0 ? "nothing" : said.join("; ")}.`;
}
