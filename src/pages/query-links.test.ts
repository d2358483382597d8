import { expect, test } from "vitest";
import { address } from "./query-links.ts";

test("one more filter goes back to the first page and leaves the others alone", () => {
  expect(address("/", { q: "a b", kind: "task", cursor: "x" }, { status: "open" })).toBe("/?q=a+b&kind=task&status=open");
  expect(address("/", { kind: "task" }, { kind: undefined })).toBe("/");
  expect(address("/", { kind: "task" }, { kind: "" })).toBe("/");
});
