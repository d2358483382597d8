import { expect, test } from "vitest";
import { fillIn } from "./fill-in.ts";

test("a text of the manual names this board, and says only what holds on it", () => {
  const text = "At {{base_url}}{{if smtp}}, mail to {{smtp}}{{end}}: {{limits.tags}} tags.";
  const values = { base_url: "https://b.example", "limits.tags": 12 };
  expect(fillIn(text, { ...values, smtp: "smtp://b.example" })).toBe("At https://b.example, mail to smtp://b.example: 12 tags.");
  expect(fillIn(text, { ...values, smtp: "" })).toBe("At https://b.example: 12 tags.");
});

test("a value is taken as it is, also if it looks like a place to be filled in", () => {
  expect(fillIn("{{one}} {{two}}", { one: "{{two}} $&", two: "2" })).toBe("{{two}} $& 2");
});

test("a place without a value is a fault, not a hole in the manual", () => {
  expect(() => fillIn("{{bse_url}}", { base_url: "" })).toThrow("{{bse_url}}");
});
