// Says at the end of a run, in one line, what was skipped and why. A test that is skipped says why in its name: `(skipped: why)`.
import type { Reporter, TestModule } from "vitest/node";

const REASON = /\(skipped: ([^)]+)\)/;

export class SkippedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<string, number>();
    for (const module of modules)
      for (const test of module.children.allTests("skipped")) {
        const [, reason = "no reason given"] = REASON.exec(test.fullName) ?? [];
        counts.set(reason, (counts.get(reason) ?? 0) + 1);
      }
    const said = [...counts].map(([reason, count]) => `${count} ${count === 1 ? "test" : "tests"} (${reason})`);
    // After the summary, which is written in this turn.
    setImmediate(() => process.stdout.write(`Skipped: ${said.length === 0 ? "nothing" : said.join("; ")}.\n`));
  }
}
