// The result of a check that either passes or refuses.
import { type ErrorCode, Refusal } from "../../src/core/errors.ts";

/** The refusal that `act` throws. Other errors pass through; it is an error if `act` does not throw. */
export function refusalOf(act: () => unknown): Refusal {
  try {
    act();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error("Nothing was refused.");
}

/** `ok`, or the code of the refusal; other errors pass through and fail the test. */
export function outcome(act: () => unknown): ErrorCode | "ok" {
  try {
    act();
    return "ok";
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}
