// A process that this user's file modes hold for: as another user where root runs the tests, to whom no mode matters.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { PROGRAM } from "./built.ts";

const UID = "65533";
const AS_ANOTHER = ["setpriv", `--reuid=${UID}`, `--regid=${UID}`, "--clear-groups"];

/** The command that runs another as somebody whom modes hold for. */
export const UNDER: readonly string[] = process.getuid?.() === 0 ? AS_ANOTHER : [];

const answers = (): boolean => {
  const [command, ...args] = [...UNDER, process.execPath, PROGRAM, "--version"];
  return spawnSync(command, args).status === 0;
};
export const noOtherUser = UNDER.length > 0 && !(existsSync(PROGRAM) && answers());
export const AS_OTHER_USER = noOtherUser ? "(skipped: root cannot run this checkout as another user here)" : "";
