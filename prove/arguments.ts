// What was asked for on the command line. Loaded before the parts, which draw from a seed that may be given.
import { orInstead, readAsked, refused, type Usage } from "../bench/support/usage.ts";
import { STORES } from "./part.ts";

export const USAGE = {
  command: "npm run prove",
  what: "proof",
  flags: {
    share: { takes: "0.05", words: "a share of every count, for a quick look; 1 unless given" },
    store: { takes: STORES.join(","), words: "only boards in these stores" },
    without: { takes: "soak", words: "all but these, separated by commas" },
    write: { takes: "docs/proof.md", words: "put the rows into this page; docs/proof.md unless given, where the counts are full" },
    seed: { takes: "7", words: "repeat a run with chance in it" },
    only: { takes: "812", words: "with fuzz and --seed: send this one request again" },
  },
  docs: "docs/proof.md",
} as const satisfies Usage<string>;

const WHOLE = /^\d+$/;

export const asked = orInstead(() => {
  const read = readAsked(USAGE, process.argv.slice(2));
  const { share, seed, only, write } = read.values;
  if (share !== undefined && !(Number(share) > 0)) throw refused(`--share takes a number above 0, not ${JSON.stringify(share)}.`, USAGE);
  for (const [flag, value] of Object.entries({ seed, only }))
    if (value !== undefined && !WHOLE.test(value))
      throw refused(`--${flag} takes a whole number from 0 on, not ${JSON.stringify(value)}.`, USAGE);
  if (only !== undefined && (seed === undefined || read.names.join() !== "fuzz"))
    throw refused("--only goes with fuzz and the --seed that its number belongs to: npm run prove -- fuzz --seed 7 --only 812.", USAGE);
  if (only !== undefined && write !== undefined) throw refused("One request proves nothing: --only does not go with --write.", USAGE);
  return read;
});
const { seed, only } = asked.values;
if (seed !== undefined) process.env["SEED"] = seed;

/** The number of the one request to send again, where one was named. */
export const onlyNumber = only === undefined ? undefined : Number(only);
