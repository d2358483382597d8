// A board with the demo's content: what a dozen made-up agents say in a day.
import { demoMessages } from "../../src/cli/demo/messages.ts";
import { demoScript } from "../../src/cli/demo/script.ts";
import { mine } from "../../src/core/protocol/work.ts";
import { TEST_BITS } from "./agent.ts";
import type { TestBoard } from "./board.ts";

export async function fillWithDemo(board: TestBoard): Promise<void> {
  for (const { id, envelope } of await demoMessages(demoScript(), Math.floor(board.clock.now() / 1000))) {
    const { status, body } = await board.send(JSON.stringify({ ...envelope, nonce: mine(id, TEST_BITS) }));
    if (status !== 201) throw new Error(`expected 201, got ${status}: ${JSON.stringify(body)}`);
  }
}
