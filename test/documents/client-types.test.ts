// The promised types of the client packages: a change of them is a change of docs/client-types.md, which reviewers see.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { clientTypes } from "../../docs/client-types.ts";

test("the types of the client are those in docs/client-types.md; if not, run `npm run docs`", () => {
  expect(readFileSync(join(import.meta.dirname, "../../docs/client-types.md"), "utf8")).toBe(clientTypes());
});
