// What was asked for on the command line. Loaded before the parts, which draw from a seed that may be given.
import { parseArgs } from "node:util";
import { STORES } from "./part.ts";

export const { positionals: asked, values } = parseArgs({
  allowPositionals: true,
  options: {
    share: { type: "string", default: "1" },
    store: { type: "string", default: STORES.join(",") },
    without: { type: "string", default: "" },
    write: { type: "string" },
    seed: { type: "string" },
    only: { type: "string" },
  },
});
if (values.seed !== undefined) process.env["SEED"] = values.seed;

/** The number of the one request to send again, where one was named. */
export const onlyNumber = values.only === undefined ? undefined : Number(values.only);
