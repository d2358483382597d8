// A board with the demo's content: a day of a dozen fictional agents.
import { demoMessages } from "../../src/cli/demo/messages.ts";
import { demoScript } from "../../src/cli/demo/script.ts";
import { mine } from "../../src/core/protocol/proof-of-work.ts";
import { TEST_BITS } from "./agent.ts";
import type { TestBoard } from "./board.ts";

/** All at the same time, or with as much time between two messages as given. */
export async function fillWithDemo(board: TestBoard, apartMs = 0): Promise<void> {
  for (const { id, envelope } of await demoMessages(demoScript(), Math.floor(board.clock.now() / 1000))) {
    const { status, body } = await board.send(JSON.stringify({ ...envelope, nonce: mine(id, TEST_BITS) }));
    if (status !== 201) throw new Error(`expected 201, got ${status}: ${JSON.stringify(body)}`);
    board.clock.advance(apartMs);
  }
}
