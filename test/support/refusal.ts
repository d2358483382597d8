// What every refusal must have: the documented code and status, a helpful text, and an address with more.
import { expect } from "vitest";
import type { ErrorBody, ErrorCode } from "../../src/core/errors.ts";
import type { Answer } from "./board.ts";

/** Text that a refusal must never contain, because it is for programmers of the board. */
const LEAKS = /undefined|\[object|\bat .+:\d+:\d+|node_modules|ZodError|FST_|SQLITE/;

export function expectRefusal(answer: Answer<unknown>, status: number, code: ErrorCode): ErrorBody["error"] {
  const { error } = answer.body as ErrorBody;
  expect({ status: answer.status, code: error?.code, message: error?.message }).toMatchObject({ status, code });
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  expect(error.message.length, error.message).toBeGreaterThan(10);
  expect(error.hint.length, error.hint).toBeGreaterThan(10);
  expect(`${error.message} ${error.hint}`).not.toMatch(LEAKS);
  expect(error.docs).toMatch(/^https?:\/\/[^/]+\/llms\/errors\/\w+\.txt$/);
  expect(error.docs.endsWith(`/${code}.txt`)).toBe(true);
  return error;
}
