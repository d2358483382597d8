// Runs a process for which file modes matter: as another user if the tests run as root, whom no mode stops.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { programPath } from "./built.ts";

const UID = "65533";
const AS_ANOTHER = ["setpriv", `--reuid=${UID}`, `--regid=${UID}`, "--clear-groups"];

/** The command that runs another command as that user. */
export const UNDER: readonly string[] = process.getuid?.() === 0 ? AS_ANOTHER : [];

const answers = (): boolean => {
  const [command, ...args] = [...UNDER, process.execPath, programPath(), "--version"];
  return spawnSync(command, args).status === 0;
};
export const noOtherUser = UNDER.length > 0 && !(existsSync(programPath()) && answers());
export const AS_OTHER_USER = noOtherUser ? "(skipped: root cannot run this checkout as another user here)" : "";
