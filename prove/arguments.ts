// Reads the command line. Loaded before the parts, because they use a seed that may be given there.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { orInstead, readAsked, refused, type Usage } from "../bench/support/command-line.ts";
import { STORES } from "./part.ts";

export const USAGE = {
  command: "npm run prove",
  what: "proof",
  flags: {
    share: { takes: "0.05", words: "a share of every count, for a quick look; 1 unless given" },
    store: { takes: STORES.join(","), words: "only boards in these stores" },
    without: { takes: "soak", words: "all but these, separated by commas" },
    write: { takes: "proof.md", words: "write the rows to this page; a run with full counts writes to docs/lab/proof.md unless given" },
    seed: { takes: "7", words: "repeat a run with chance in it" },
    only: { takes: "812", words: "with fuzz and --seed: send this one request again; with abuse: these attacks, separated by commas" },
    messages: { takes: "1000000", words: "with abuse: attack a board of this many messages" },
    server: { takes: "../old", words: "with abuse: attack the board of another checkout" },
  },
  docs: "docs/proof.md",
} as const satisfies Usage<string>;

const WHOLE = /^\d+$/;

export const asked = orInstead(() => {
  const read = readAsked(USAGE, process.argv.slice(2));
  const { share, seed, only, write, server, messages } = read.values;
  const attacks = read.names.join() === "abuse";
  if (share !== undefined && !(Number(share) > 0)) throw refused(`--share takes a number above 0, not ${JSON.stringify(share)}.`, USAGE);
  for (const [flag, value] of Object.entries({ seed, messages, ...(attacks ? {} : { only }) }))
    if (value !== undefined && !WHOLE.test(value))
      throw refused(`--${flag} takes a whole number from 0 on, not ${JSON.stringify(value)}.`, USAGE);
  if (only !== undefined && !attacks && (seed === undefined || read.names.join() !== "fuzz"))
    throw refused(
      "--only goes with fuzz and the --seed that its number belongs to (npm run prove -- fuzz --seed 7 --only 812), or with abuse and names of attacks.",
      USAGE,
    );
  if (server !== undefined && !attacks) throw refused("--server goes with abuse: npm run prove -- abuse --server ../old.", USAGE);
  if (messages !== undefined && !attacks) throw refused("--messages goes with abuse: npm run prove -- abuse --messages 1000000.", USAGE);
  if (server !== undefined && !existsSync(join(server, "src/bin.ts")))
    throw refused(`--server takes the directory of a checkout; there is no ${join(server, "src/bin.ts")}.`, USAGE);
  if (only !== undefined && !attacks && write !== undefined)
    throw refused("One request proves nothing: --only does not go with --write.", USAGE);
  return read;
});
const { seed, only, server, messages } = asked.values;
if (seed !== undefined) process.env["SEED"] = seed;

/** The number of the one request to send again, if one was named. */
export const onlyNumber = only === undefined || asked.names.includes("abuse") ? undefined : Number(only);

/** The attacks to run, if some were named. */
export const onlyAttacks = asked.names.includes("abuse") ? only?.split(",") : undefined;

/** The checkout whose board is attacked, if it is not this one. */
export const attackedServer = server === undefined ? undefined : resolve(server);

/** The number of messages on the board that is attacked, if it is not the usual one. */
export const attackedMessages = messages === undefined ? undefined : Number(messages);
