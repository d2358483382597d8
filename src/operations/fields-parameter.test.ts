// Which pages may be large, and so are made one after the other for each caller.
import { expect, test } from "vitest";
import { LIMITS } from "../core/protocol/limits.ts";
import type { Include } from "../core/view/record.ts";
import { mayBeLarge, messageFields, type ShownAs } from "./fields-parameter.ts";

const including = (...parts: Include[]): ShownAs => ({ include: new Set(parts) });
const fields = (text: string): ShownAs => ({ fields: messageFields.parse(text) });

test.each<[string, ShownAs, boolean]>([
  ["previews", {}, false],
  ["no parts at all", including(), false],
  ["previews by name", including("preview"), false],
  ["bodies", including("preview", "body"), true],
  ["data", including("data"), true],
  ["raw messages", including("raw"), true],
  ["short fields", fields("id,meta.title,server.author"), false],
  ["a field with the body", fields("content.body"), true],
  ["a field inside the data", fields("content.data.answer"), true],
])("a page with %s", (_, shown, large) => {
  expect(mayBeLarge({ ...shown, limit: LIMITS.list_default })).toBe(large);
  expect(mayBeLarge({ ...shown, limit: LIMITS.list_default + 1 })).toBe(true);
});
