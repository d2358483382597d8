// GET /openapi.json: this interface for machines.
import { z } from "zod";
import { openApi } from "./openapi.ts";
import { type Described, jsonReply, type Operation, readWithoutParameters } from "../operation.ts";

export const getOpenapi = (others: readonly Described[], baseUrl: string, version: string): Operation => {
  /** Made at the first request, because it takes longer than the rest of a start. */
  let text: Promise<string> | undefined;
  const self: Operation = readWithoutParameters({
    name: "get_openapi",
    path: "/openapi.json",
    summary: "This interface as an OpenAPI 3.1 document.",
    responses: { 200: { words: "The document.", body: z.record(z.string(), z.unknown()) } },
    steady: true,
    run: async () =>
      jsonReply({ json: await (text ??= openApi([...others, self], baseUrl, version).then((made) => JSON.stringify(made))) }),
  });
  return self;
};
