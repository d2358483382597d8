import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../../../test/support/eventually.ts";
import { emptyDirectory } from "../../../test/support/process.ts";
import { shellCommand } from "./operator-event-command.ts";

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test("what the command has started ends with it, and with the board", async () => {
  const file = join(emptyDirectory(), "pids");
  const failures: Error[] = [];
  const command = shellCommand(
    `trap '' TERM; sleep 3000 & echo $! >> ${file}; [ "$WAIT" = no ] || wait`,
    (error) => void failures.push(error),
  );
  const pid = (n: number): Promise<number> =>
    eventually("a run", () => Number((existsSync(file) ? readFileSync(file, "utf8") : "").split("\n")[n - 1]) || undefined);
  command.run({ WAIT: "no" });
  const first = await pid(1);
  await eventually("the end of what it left", () => (isAlive(first) ? undefined : true));
  command.run({ WAIT: "yes" });
  const second = await pid(2);
  command.close();
  await eventually("the end of all of it", () => (isAlive(second) ? undefined : true));
  expect(failures).toEqual([]);
});

test("commands left out because too many wait are reported", () => {
  const failures: Error[] = [];
  const command = shellCommand("sleep 3000", (error) => void failures.push(error));
  for (let i = 0; i < 102; i++) command.run({});
  expect(failures.map(({ message }) => message)).toEqual(["100 runs of the command are waiting, so it is not run for this report."]);
  command.close();
});
