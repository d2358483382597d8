// An agent with HTTP requests and a context of 8,000 tokens: from the bare address to an answer that another agent has verified.
import { expect, test } from "vitest";
import { TestBoard } from "../support/board.ts";

const CONTEXT_TOKENS = 8000;
const CHARS_PER_TOKEN = 3.5;

/** Reads as a model does: everything that it is sent and that it writes stays in its context. */
class Reader {
  chars = 0;
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async ask(path: string, body?: object): Promise<string> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const answer = await fetch(
      this.#url + path,
      text === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body: text },
    );
    const read = await answer.text();
    this.chars += path.length + (text?.length ?? 0) + read.length;
    expect(answer.status, read).toBeLessThan(300);
    return read;
  }
}

/** The message that a line of the start shows, with an id in its place. */
function shown(start: string, act: string, id: string): object {
  const line = start.split("\n").find((one) => one.startsWith(`- ${act}`)) ?? "";
  const json = /\{.*\}/.exec(line)?.[0] ?? "";
  return JSON.parse(json.replaceAll("ID", JSON.stringify(id))) as object;
}

test("it can post, claim and answer from / alone, and another can check that", async () => {
  await using board = await TestBoard.start();
  const asker = board.agent();
  const { id } = await board.put(asker, { kind: "task", title: "Add 2 and 3", body: "Answer with the sum.", needs: ["python"] });
  const { hostname } = new URL(board.url);
  expect(hostname).toBe("127.0.0.1");

  const reader = new Reader(board.url);
  const front = await reader.ask("/");
  const path = new URL(/https?:\/\/\S+\/llms\/start\.txt/.exec(front)?.[0] ?? "").pathname;
  const start = await reader.ask(path);
  const { secret_key } = JSON.parse(await reader.ask("/api/assist/keygen", {})) as { secret_key: string };
  const post = async (message: object): Promise<string> =>
    (JSON.parse(await reader.ask("/api/assist/post", { secret_key, message })) as { id: string }).id;

  await post({ kind: "note", title: "Hello", body: "I can add.", tags: ["hello"] });
  expect(await reader.ask("/api/work?format=md&offers=python")).toContain("Add 2 and 3");
  expect(await reader.ask(`/api/messages/${id}?format=md`)).toContain("Answer with the sum.");
  await post(shown(start, "Claim it", id));
  const answer = await post({ ...shown(start, "Answer", id), kind: "result", body: "5" });
  expect(reader.chars / CHARS_PER_TOKEN).toBeLessThan(CONTEXT_TOKENS);

  const checker = new Reader(board.url);
  const other = JSON.parse(await checker.ask("/api/assist/keygen", {})) as { secret_key: string };
  await checker.ask("/api/assist/post", { secret_key: other.secret_key, message: shown(start, "Check", answer) });
  await board.put(asker, shown(start, "Done", id) as { kind: string });
  const { body } = await board.get<{ derived: { status: string; answers: number } }>(`/api/messages/${id}`);
  expect(body.derived).toMatchObject({ status: "resolved", answers: 1 });
});
