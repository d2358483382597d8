import { describe, expect, test } from "vitest";
import { workBits } from "../core/protocol/proof-of-work.ts";
import { ID } from "../../test/support/payload.ts";
import { type Mine, mineHere, type Progress } from "./mine.ts";
import { mineInThreads } from "./node/mine-threads.ts";

const MINERS: readonly [string, Mine][] = [
  ["in the caller's own thread", mineHere],
  ["in threads", mineInThreads(2)],
];

describe.for(MINERS)("mining %s", ([, mine]) => {
  test("finds a nonce that proves the work, and tells how far it is", async () => {
    const reported: Progress[] = [];
    const nonce = await mine(ID, 18, { onProgress: (progress) => reported.push(progress) });
    expect(workBits(ID, nonce)).toBeGreaterThanOrEqual(18);
    expect(reported.at(-1)).toMatchObject({ expected: 2 ** 18 });
    expect(reported.map(({ tries }) => tries)).toEqual(reported.map(({ tries }) => tries).toSorted((a, b) => a - b));
  });
  test("ends when the caller has had enough", async () => {
    const controller = new AbortController();
    const endless = mine(ID, 200, { signal: controller.signal, onProgress: () => controller.abort(new Error("enough")) });
    await expect(endless).rejects.toThrow("enough");
    await expect(mine(ID, 200, { signal: controller.signal })).rejects.toThrow("enough");
  });
});

test("mining in the caller's own thread lets others have their turn", async () => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error("a timer fired")), 0);
  await expect(mineHere(ID, 200, { signal: controller.signal })).rejects.toThrow("a timer fired");
});
