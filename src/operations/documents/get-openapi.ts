// GET /openapi.json: this interface for machines.
import { z } from "zod";
import { openApi } from "./openapi.ts";
import { type Described, jsonReply, operation, type Operation } from "../operation.ts";

export const getOpenapi = (others: readonly Described[], baseUrl: string, version: string): Operation => {
  /** Made at the first request, because it takes longer than the rest of a start. */
  let text: Promise<string> | undefined;
  const self: Operation = operation({
    name: "get_openapi",
    method: "GET",
    path: "/openapi.json",
    summary: "This interface as an OpenAPI 3.1 document.",
    input: z.strictObject({}),
    responses: { 200: { words: "The document.", body: z.record(z.string(), z.unknown()) } },
    refusals: ["unknown_parameter", "rate_limited"],
    rate: "reads",
    steady: true,
    run: async () =>
      jsonReply({ json: await (text ??= openApi([...others, self], baseUrl, version).then((made) => JSON.stringify(made))) }),
  });
  return self;
};
