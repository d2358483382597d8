// What is told when several things fail.
import { expect, test } from "vitest";
import { failureText, firstFailure, UsageFault } from "./failure.ts";

const closing = (): Disposable => ({
  [Symbol.dispose]() {
    throw new Error("The file cannot be closed.");
  },
});

function workAndClosingFail(): unknown {
  try {
    using _outer = closing();
    using _inner = closing();
    throw new UsageFault("There is no such flag.");
  } catch (error) {
    return firstFailure(error);
  }
}

test("a command whose work and whose closing fail says what was wrong with the work", () => {
  const told = workAndClosingFail();
  expect(told).toBeInstanceOf(UsageFault);
  expect(failureText(told, false)).toBe("error: There is no such flag.");
});
