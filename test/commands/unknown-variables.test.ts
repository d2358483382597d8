// A setting with a typing error: the board says that it does not know it, and what was most likely meant.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BoardProcess, emptyDirectory } from "../support/process.ts";

const env = { BOARD_POWBITS: "20", BOARD_MEMBERS_COUNTRY: "7", PORT: "0" };
const POWBITS = "BOARD_POWBITS is not a setting; did you mean BOARD_POW_BITS?";
const FROM_FILE = "BOARD_HSOT is not a setting; did you mean BOARD_HOST?";
const MEMBERS = "BOARD_MEMBERS_COUNTRY is not a setting";

test("serve warns of each in its log and starts; operate says on standard error what was most likely meant for it", async () => {
  const cwd = emptyDirectory();
  writeFileSync(join(cwd, ".env"), "BOARD_HSOT=0.0.0.0\nPOSTGRES_PASSWORD=x\n");
  await using board = BoardProcess.spawn({ args: ["serve"], env, cwd });
  await board.ready();
  const warnings = board.stderr.split("\n").filter((line) => line.includes('"level":"warn"'));
  expect(warnings).toHaveLength(3);
  for (const words of [POWBITS, FROM_FILE, MEMBERS]) expect(warnings.filter((line) => line.includes(words))).toHaveLength(1);

  await using stats = BoardProcess.spawn({ args: ["operate", "stats"], env, cwd });
  const { code, stdout, stderr } = await stats.ended;
  expect(code).toBe(0);
  expect(stdout).toContain("live messages");
  expect(stderr).toBe(`warning: ${FROM_FILE}\nwarning: ${POWBITS}\n`);
});
