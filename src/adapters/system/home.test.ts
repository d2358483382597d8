import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import { afterEach, expect, test, vi } from "vitest";
import { home } from "./home.ts";

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

test("a user without a home directory can use every command that does not need one", () => {
  expect(home()).toBe(os.homedir());
  vi.spyOn(os, "homedir").mockImplementation(() => {
    throw new Error("A system error occurred: uv_os_homedir returned ENOENT");
  });
  syncBuiltinESMExports();
  expect(home()).toBe(process.cwd());
});
