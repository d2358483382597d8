// Prints in one line at the end of a run what was skipped and why. A test that may be skipped says why in its name: `(skipped: why)`.
import type { Reporter, TestModule } from "vitest/node";

const REASON = /\(skipped: ([^)]+)\)/;

export class SkippedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const names = modules.flatMap((module) => [...module.children.allTests("skipped")].map(({ fullName }) => fullName));
    // After the summary, which is printed in this turn.
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
