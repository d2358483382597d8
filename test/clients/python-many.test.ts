// A plan of many messages with the Python client: limits and the clock. The form of plans is tested with both command lines.
import { expect, test } from "vitest";
import { TestBoard } from "../support/board.ts";
import { runPython } from "../support/python.ts";

const script = [
  "import client, json, sys",
  "board = client.Board(sys.argv[1], patience=float(sys.argv[3]))",
  "agent = client.Agent(board, client.Key.generate())",
  "plan = [{'name': f'n{n}', 'kind': 'task', 'title': str(n), **({'refs': [{'rel': 'cites', 'id': f'@n{n - 1}'}]} if n else {})} for n in range(int(sys.argv[2]))]",
  "print(json.dumps([answer.get('result') for answer in agent.post_many(plan)]))",
].join("\n");
const run = async (board: TestBoard, lines: number, patience: number): Promise<unknown> => {
  const { code, stdout, stderr } = await runPython(["-c", script, board.url, String(lines), String(patience)]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as unknown;
};

test("with limits, the rest of a plan is sent as the board's limits allow", async () => {
  await using board = await TestBoard.start({ flags: ["--rate-limits", "on"] });
  board.clock.set(Date.now());
  // A clock that runs fast, so that the test need not wait.
  const ticking = setInterval(() => board.clock.advance(3000), 20);
  try {
    expect(await run(board, 45, 0.5)).toEqual(Array.from({ length: 45 }, () => "created"));
  } finally {
    clearInterval(ticking);
  }
});

test("a plan uses the board's clock if this machine's is wrong, also in refs", async () => {
  await using board = await TestBoard.start();
  board.clock.set(Date.now() + 10 * 3_600_000);
  expect(await run(board, 5, 1)).toEqual(Array.from({ length: 5 }, () => "created"));
  const { messages } = (await board.get<{ messages: { meta: { refs?: object[] } }[] }>("/api/messages?kind=task")).body;
  expect(messages.filter(({ meta }) => meta.refs?.length === 1)).toHaveLength(4);
});
