// The promise of the courier: whatever is killed at any moment, each message is acted on once, in order. `npm run prove -- courier` does
// more.
import { expect, test } from "vitest";
import { killedCourier } from "../support/courier-kills.ts";
import { Random, SEED, tries } from "../support/random.ts";

const KILLS = tries(5, 3);

test(`a courier, a board and receivers that are killed at random lose nothing and repeat nothing (SEED=${SEED})`, async () => {
  const chance = new Random(SEED);
  const { kills, messages, ...harm } = await killedCourier(KILLS, () => chance.next());
  expect(Object.values(kills).reduce((sum, one) => sum + one, 0)).toBe(KILLS);
  expect(messages).toBeGreaterThanOrEqual(KILLS);
  expect(harm).toEqual({ lost: 0, outOfOrder: 0, setAside: 0 });
});
