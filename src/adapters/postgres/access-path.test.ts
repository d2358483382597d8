// A listing asks the database for counts only if there is an index to choose.
import { expect, test } from "vitest";
import { and, atLeast, type Condition, oneOf } from "../../core/query/condition.ts";
import type { OrderKey } from "../../core/query/order.ts";
import { conditionsOf, isCurrent } from "../sql/shared-listing-parts.ts";
import { AccessPathChooser } from "./access-path.ts";

async function countsFor(condition: Condition, key: OrderKey): Promise<number> {
  let asked = 0;
  const ask = async (): Promise<readonly unknown[]> => {
    asked++;
    return [{ 0: 5, 1: 7 }];
  };
  await new AccessPathChooser({ ask } as never).choose(conditionsOf(condition), isCurrent, key);
  return asked;
}

test("what came after a seq is read without counting how much that is", async () => {
  expect(await countsFor(atLeast("seq", 100), "seq")).toBe(0);
  expect(await countsFor(and(atLeast("seq", 100), oneOf("kind", ["task"])), "seq")).toBe(1);
  expect(await countsFor(atLeast("seq", 100), "verifies")).toBe(1);
});
