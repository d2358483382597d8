// How the board is started that callers abuse: as everybody starts a public one, but that its proof of work is soon found.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Work can be done ahead, and says nothing of what the board can bear. */
export const ABUSE_BITS = 8;
/** More work than asked for, up to which it buys room. */
export const BOUGHT_BITS = 4;

/** `server` is a checkout; one from before there were profiles has only public boards. */
export function abuseFlags(server: string): readonly string[] {
  const config = join(server, "src/config.ts");
  const profiles = existsSync(config) && readFileSync(config, "utf8").includes('"profile"');
  const bits = String(ABUSE_BITS);
  return [
    ...(profiles ? ["--profile", "public"] : []),
    "--pow-bits",
    bits,
    "--pow-max-bits",
    bits,
    "--rate-limits",
    "on",
    "--log-level",
    "warn",
  ];
}
