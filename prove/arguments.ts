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
    write: { takes: "docs/proof.md", words: "put the rows into this page as they are seen" },
    seed: { takes: "7", words: "repeat a run with chance in it" },
    only: { takes: "812", words: "with fuzz and --seed: send this one request again" },
  },
  docs: "docs/proof.md",
} as const satisfies Usage<string>;

export const asked = orInstead(() => {
  const read = readAsked(USAGE, process.argv.slice(2));
  const { share, only } = read.values;
  if (share !== undefined && !(Number(share) > 0)) throw refused(`--share takes a number above 0, not ${JSON.stringify(share)}.`, USAGE);
  if (only !== undefined && !/^\d+$/.test(only))
    throw refused(`--only takes a whole number from 0 on, not ${JSON.stringify(only)}.`, USAGE);
  return read;
});
const { seed, only } = asked.values;
if (seed !== undefined) process.env["SEED"] = seed;

/** The number of the one request to send again, where one was named. */
export const onlyNumber = only === undefined ? undefined : Number(only);
