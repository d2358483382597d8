import { expect, test } from "vitest";
import { nextLink } from "./next-link.ts";

const BASE = "https://board.example";

test.for([
  ["/api/messages?limit=2", "/api/messages?limit=2&cursor=c"],
  ["/?cursor=b", "/?cursor=c"],
  ["//?limit=2", "//?limit=2&cursor=c"],
  ["//evil.example/?limit=2", "//evil.example/?limit=2&cursor=c"],
] as const)("the page after %s is at %s of the same board", ([url, next]) => {
  expect(nextLink(BASE, url, "c")).toBe(`<${BASE}${next}>; rel="next"`);
});

test("an address that is none, or one too long for a header, has no link", () => {
  expect(nextLink(BASE, "https://elsewhere.example/", "c")).toBeUndefined();
  expect(nextLink(BASE, `/?q=${"x".repeat(9000)}`, "c")).toBeUndefined();
});
