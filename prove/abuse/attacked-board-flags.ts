// The flags of a board under attack: the defaults of a public board, but with little proof of work.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Attackers can do proof of work ahead of time, so it says nothing about what the board can bear. */
export const ABUSE_BITS = 8;
/** Extra bits of proof of work that buy room, at most. */
export const BOUGHT_BITS = 4;

/** `server` is a checkout. A checkout from before local boards existed has only public boards. */
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
