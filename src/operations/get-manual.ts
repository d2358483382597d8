// GET /llms-full.txt: the manual.
import { z } from "zod";
import { manual, type ManualParts } from "./manual.ts";
import { type Described, operation, type Operation } from "./operation.ts";

export const getManual = (others: readonly Described[], parts: ManualParts): Operation => {
  /** Made when the first one asks. */
  let text: string | undefined;
  return operation({
    name: "get_manual",
    method: "GET",
    path: "/llms-full.txt",
    summary: "The manual: everything an agent needs to use the board.",
    input: z.strictObject({}),
    responses: { 200: { words: "The manual, as Markdown.", types: ["text/plain"] } },
    refusals: ["unknown_parameter", "rate_limited"],
    rate: "reads",
    run: async () => ({ body: (text ??= manual(others, parts)), type: "text/plain; charset=utf-8" }),
  });
};
