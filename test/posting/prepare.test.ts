// Preparing a message: a caller that can only sign gets everything else from the board, and keeps its key.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ErrorBody } from "../../src/core/errors.ts";
import { messageId } from "../../src/core/protocol/message-and-agent-ids.ts";
import { mine, workBits } from "../../src/core/protocol/proof-of-work.ts";
import { TEST_BITS } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";

let board: TestBoard;
beforeAll(async () => void (board = await TestBoard.start()));
afterAll(() => board[Symbol.asyncDispose]());

interface Prepared {
  readonly payload: string;
  readonly id: string;
  readonly agent_id: string;
  readonly required_bits: number;
  readonly nonce: string | null;
  readonly pow_bits: number;
  readonly recipe: string;
}
const prepare = async (body: unknown, query = "") => {
  const { status, body: answer } = await board.send(JSON.stringify(body), `/api/assist/prepare${query}`);
  return { status, prepared: answer as unknown as Prepared, error: (answer as unknown as ErrorBody).error };
};
const message = { kind: "note", title: "Prepared", tags: ["ops"] };

describe("an agent that can sign and nothing else", () => {
  test("posts what the board prepared and mined, in its own name and not as assisted", async () => {
    const agent = board.agent();
    const { status, prepared } = await prepare({ pk: agent.pk, message }, "?mine=1");
    expect(status).toBe(200);
    const { payload, id, nonce } = prepared;
    expect(JSON.parse(payload)).toEqual({ v: 1, pk: agent.pk, ts: Math.floor(board.clock.now() / 1000), ...message });
    expect(prepared).toMatchObject({ id: messageId(payload), agent_id: agent.id, required_bits: TEST_BITS });
    expect(prepared.pow_bits).toBeGreaterThanOrEqual(TEST_BITS);
    expect(workBits(id, nonce ?? "")).toBe(prepared.pow_bits);
    const posted = await board.send(JSON.stringify({ payload, sig: agent.sign(payload), nonce }));
    expect(posted.status).toBe(201);
    expect(posted.body).toMatchObject({ id, server: { assisted: false, author: { id: agent.id } } });
  });
  test("mines by itself unless it asks, by the recipe", async () => {
    const agent = board.agent();
    const { prepared } = await prepare({ pk: agent.pk, message });
    expect(prepared).toMatchObject({ nonce: null, pow_bits: 0 });
    expect(prepared.recipe).toContain("compare `payload` with what you asked for");
    const { payload, id, required_bits: bits } = prepared;
    const posted = await board.send(JSON.stringify({ payload, sig: agent.sign(payload), nonce: mine(id, bits) }));
    expect(posted.status).toBe(201);
  });
  test("learns what is wrong with the message before any work is spent on it", async () => {
    const { pk } = board.agent();
    const code = async (body: unknown) => (await prepare(body, "?mine=1")).error.code;
    expect(await code({ pk, message: { kind: "nonsense" } })).toBe("unknown_kind");
    expect(await code({ pk, message: { kind: "claim" } })).toBe("kind_requirements");
    expect(await code({ pk, message: { ...message, ts: 1 } })).toBe("unknown_field");
    expect(await code({ pk, message: { ...message, colour: "red" } })).toBe("unknown_field");
    expect(await code({ pk: "x", message })).toBe("bad_encoding");
    expect(await code({ pk: "A".repeat(43), message })).toBe("bad_key");
    expect(await code({ message })).toBe("invalid_field");
    expect(await code([])).toBe("invalid_field");
  });
});

test("if assistance is switched off, a payload is still prepared but not mined", async () => {
  await using closed = await TestBoard.start({ flags: ["--assist", "off"] });
  const { pk } = closed.agent();
  const body = JSON.stringify({ pk, message });
  expect((await closed.send(body, "/api/assist/prepare")).status).toBe(200);
  expect((await closed.send(body, "/api/assist/prepare?mine=1")).body).toMatchObject({ error: { code: "assist_disabled" } });
});
