// Host and Origin rules, one by one.
import { describe, expect, test } from "vitest";
import { accessTo } from "./mcp-access.ts";

const access = accessTo("https://board.example:8443");

describe("a host is taken", () => {
  test.each([
    "board.example:8443",
    "board.example",
    "BOARD.example",
    "localhost:1",
    "127.0.0.1",
    "127.9.9.9:8787",
    "[::1]:80",
    "10.0.0.7",
    "[fe80::1]",
  ])("%s", (host) => {
    expect(access.host(host)).toBe(true);
  });
});

describe("a host is not", () => {
  test.each([
    undefined,
    "",
    "example",
    "evil.example",
    "board.example.evil.example",
    "localhost.evil.example",
    "a b",
    "evil.example#board.example",
  ])("%s", (host) => {
    expect(access.host(host)).toBe(false);
  });
});

describe("an origin is taken", () => {
  test.each([undefined, "https://board.example:8443", "http://localhost:3000", "https://127.0.0.1", "http://[::1]:9"])("%s", (origin) => {
    expect(access.origin(origin)).toBe(true);
  });
});

describe("an origin is not", () => {
  test.each([
    "",
    "null",
    "https://board.example",
    "http://board.example:8443",
    "https://evil.example",
    "http://localhost.evil.example",
    "ftp://localhost",
    "http://10.0.0.7",
  ])("%s", (origin) => {
    expect(access.origin(origin)).toBe(false);
  });
});
