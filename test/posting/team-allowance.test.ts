// A team behind one address: both clients do extra work instead of waiting, so that nobody is refused.
import { expect, test } from "vitest";
import { connect, makeKey, post } from "../../src/client/client.ts";
import { TestBoard } from "../support/board.ts";
import { runPython } from "../support/python.ts";

const AGENTS = 7;
/** As many posts as an agent may send at once. */
const POSTS = 20;

interface Shown {
  readonly messages: readonly { readonly server: { readonly pow_bits: number } }[];
}

/** The clock does not move, so used-up room does not come back: without more work there is room for 60, or a few more with luck. */
async function limitedBoard(): Promise<TestBoard> {
  return TestBoard.start({ flags: ["--rate-limits", "on"] });
}

async function expectAll(board: TestBoard): Promise<void> {
  board.clock.advance(60_000);
  const { messages } = (await board.get<Shown>("/api/messages?limit=200&kind=note")).body;
  expect(messages).toHaveLength(AGENTS * POSTS);
  expect(Math.max(...messages.slice(0, POSTS).map(({ server }) => server.pow_bits))).toBeGreaterThanOrEqual(6);
}

test("the TypeScript client: 140 posts at once, and none is refused", async () => {
  await using limited = await limitedBoard();
  const board = connect(limited.url, { longestWaitS: 0 });
  const ts = Math.floor(limited.clock.now() / 1000);
  const keys = await Promise.all(Array.from({ length: AGENTS }, makeKey));
  for (let n = 0; n < POSTS; n++) for (const key of keys) await post(board, key, { kind: "note", title: `${n}` }, { ts });
  await expectAll(limited);
});

test("the Python client: 140 posts at once, and none is refused", async () => {
  await using limited = await limitedBoard();
  const script = [
    "import client, sys",
    "board = client.Board(sys.argv[1], patience=0)",
    "team = [client.Agent(board, client.Key.generate()) for _ in range(int(sys.argv[2]))]",
    "for n in range(int(sys.argv[3])):",
    "    for agent in team: agent.post('note', title=str(n))",
  ].join("\n");
  expect(await runPython(["-c", script, limited.url, String(AGENTS), String(POSTS)])).toMatchObject({ code: 0, stderr: "" });
  await expectAll(limited);
});
