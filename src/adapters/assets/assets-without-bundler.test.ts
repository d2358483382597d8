import { expect, test } from "vitest";
import { unbundledFiles } from "./assets-without-bundler.ts";

test("without a bundler pages still have their whole style and their icon", () => {
  const files = new Map(unbundledFiles().map(({ name, bytes }) => [name.replace(/-[0-9a-f]{8}/, ""), Buffer.from(bytes).toString("utf8")]));
  expect([...files.keys()]).toEqual(["board.css", "icon.svg"]);
  expect(files.get("board.css")).toContain("--paper:");
  expect(files.get("board.css")).toContain(".row {");
  expect(files.get("board.css")).not.toContain("@import");
});
