// What every refusal owes its caller: the promised code and status, words that help, and an address to read on.
import { expect } from "vitest";
import type { ErrorBody, ErrorCode } from "../../src/core/errors.ts";
import type { Answer } from "./board.ts";

/** What words never hold when somebody has thought of the reader. */
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
