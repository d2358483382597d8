// Nodes of one board with different settings: each reports it once, with both values.
import { expect, test } from "vitest";
import { MINUTE_MS } from "../../src/core/durations.ts";
import { TEST_BITS } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { eventually } from "../support/eventually.ts";
import { nodeBeside } from "../support/nodes.ts";

const differences = (log: readonly string[]): readonly string[] =>
  log.map((line) => (JSON.parse(line) as { msg: string }).msg).filter((msg) => msg.startsWith("another node"));
const untilLogged = (log: readonly string[], count: number, after: () => void = () => {}) =>
  eventually("words about the difference", () => {
    after();
    return differences(log).length >= count ? true : undefined;
  });
const words = (flag: string, other: string | number, own: string | number): string =>
  `another node of this board has ${flag} ${other}, and this one ${own}: give every node the same settings`;

test("both nodes warn, once for each setting that differs, and name both values", async () => {
  const [log, otherLog]: [string[], string[]] = [[], []];
  await using one = await TestBoard.start({ log, flags: ["--mail-domain", "board.example"] });
  const flags = ["--base-url", "http://elsewhere.test", "--mail-domain", "board.example", "--pow-max-bits", "30"];
  const other = await nodeBeside(one, flags, undefined, otherLog);
  try {
    // Time passes for nodes that were not listening yet.
    const later = (): void => one.clock.advance(MINUTE_MS);
    await untilLogged(log, 2, later);
    await untilLogged(otherLog, 2, later);
    expect([...differences(log)].sort()).toEqual([
      words("--base-url", "http://elsewhere.test", "http://board.test"),
      words("--pow-max-bits", 30, 24),
    ]);
    expect([...differences(otherLog)].sort()).toEqual([
      words("--base-url", "http://board.test", "http://elsewhere.test"),
      words("--pow-max-bits", 24, 30),
    ]);
    const third = await nodeBeside(one, [...flags.slice(0, 4), "--pow-max-bits", "24"], undefined, []);
    later();
    later();
    await third.close();
    expect([differences(log).length, differences(otherLog).length]).toEqual([2, 2]);
  } finally {
    await other.close();
  }
});

test("nodes with the same settings say nothing", async () => {
  const [log, otherLog]: [string[], string[]] = [[], []];
  await using one = await TestBoard.start({ log });
  const other = await nodeBeside(one, ["--base-url", "http://board.test"], undefined, otherLog);
  const odd: string[] = [];
  const third = await nodeBeside(one, ["--base-url", "http://board.test", "--pow-max-bits", String(TEST_BITS)], undefined, odd);
  try {
    // A node that has received the third one has received the earlier ones before.
    await untilLogged(log, 1, () => one.clock.advance(MINUTE_MS));
    await untilLogged(otherLog, 1, () => one.clock.advance(MINUTE_MS));
    expect([differences(log), differences(otherLog)]).toEqual([
      [words("--pow-max-bits", TEST_BITS, 24)],
      [words("--pow-max-bits", TEST_BITS, 24)],
    ]);
  } finally {
    await Promise.all([other.close(), third.close()]);
  }
});
