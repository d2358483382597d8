import { expect, test } from "vitest";
import { filledPath, parametersIn } from "./path-template.ts";

test("every parameter of a path is found and filled in, and the last one is known as such", () => {
  expect(parametersIn("/tlog/{origin}/tile/{rest}")).toEqual(["origin", "rest"]);
  expect(filledPath("/tlog/{origin}/tile/{rest}", (name, atEnd) => (atEnd ? "*" : `:${name}`))).toBe("/tlog/:origin/tile/*");
  expect(filledPath("/a/{id}/b", (name, atEnd) => `${name} ${atEnd}`)).toBe("/a/id false/b");
  expect([parametersIn("/a"), filledPath("/a", () => "x")]).toEqual([[], "/a"]);
});
