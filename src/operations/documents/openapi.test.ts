import { expect, test } from "vitest";
import { z } from "zod";
import { operation } from "../operation.ts";
import { openApi, openApiSteps } from "./openapi.ts";

const described = Array.from({ length: 50 }, (_, n) =>
  operation({
    name: `ask_${n}`,
    method: "GET",
    path: `/api/ask/${n}`,
    summary: "Asks.",
    input: z.strictObject({}),
    responses: { 200: { words: "An answer.", body: z.strictObject({ answer: z.string() }).meta({ id: `Answer${n}` }) } },
    refusals: ["rate_limited"],
    rate: "reads",
    run: async () => ({ body: {} }),
  }),
);

test("who first asks for the description of the interface does not hold up the others: it is made one operation at a time", async () => {
  const steps = [...openApiSteps(described, "http://board.test", "1.0.0")];
  // The operations, then the schemas that they name.
  expect(steps.length).toBeGreaterThan(2 * described.length);
  const made = (await openApi(described, "http://board.test", "1.0.0")) as { paths: object; components: { schemas: object } };
  expect(Object.keys(made.paths)).toHaveLength(described.length);
  expect(Object.keys(made.components.schemas)).toEqual(expect.arrayContaining(["Answer0", "Answer49", "Payload"]));
});
