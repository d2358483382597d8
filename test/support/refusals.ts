// Sends requests that must be refused, and checks that no table of the board has changed.
import { expect } from "vitest";
import type { ErrorBody, ErrorCode } from "../../src/core/errors.ts";
import { type Agent, type Fields, sha256 } from "./agent.ts";
import { type Answer, TestBoard } from "./board.ts";
import { type Beside, openBeside, rowCounts } from "./database.ts";
import { expectRefusal } from "./refusal.ts";

/** An id that no message has. */
export const UNKNOWN = "f".repeat(64);
export const NOTE = { kind: "note", body: "Hello" } satisfies Fields;

/** Where posts are sent, by which agent, and the tables of the board. */
interface Sending {
  readonly board: TestBoard;
  readonly db: Beside;
  readonly agent: Agent;
}

export async function startSending(): Promise<Sending> {
  const board = await TestBoard.start();
  return { board, db: openBeside(board.data), agent: board.agent() };
}

export async function stopSending({ board, db }: Pick<Sending, "board" | "db">): Promise<void> {
  db.close();
  await board[Symbol.asyncDispose]();
}

/** `at` is called by each test, because there is no board before the first one. */
export function refusals(at: () => Sending) {
  /** Sends a request that must be refused, and checks that no table has changed. */
  async function refused(status: number, code: ErrorCode, send: () => Promise<Answer<unknown>>): Promise<ErrorBody["error"]> {
    const before = rowCounts(at().db);
    const answer = await send();
    const error = expectRefusal(answer, status, code);
    expect(error.docs).toBe(`http://board.test/llms/errors/${code}.txt`);
    expect(rowCounts(at().db)).toEqual(before);
    return error;
  }
  const refusedBody = (status: number, code: ErrorCode, body: string | Uint8Array<ArrayBuffer>) =>
    refused(status, code, () => at().board.send(body));
  const refusedFields = (status: number, code: ErrorCode, fields: Fields, blobs?: Record<string, string>) =>
    refused(status, code, () => at().board.post(at().agent, fields, blobs));
  // The same for tests that check nothing else.
  const refuses = async (...args: Parameters<typeof refused>): Promise<void> => void (await refused(...args));
  const refusesBody = async (...args: Parameters<typeof refusedBody>): Promise<void> => void (await refusedBody(...args));
  const refusesFields = async (...args: Parameters<typeof refusedFields>): Promise<void> => void (await refusedFields(...args));
  /** Signs and mines the text unchanged: it may break any rule of the payload. */
  const sealed = (payload: string, blobs?: Record<string, string>): string => JSON.stringify(at().agent.seal(payload, blobs));
  /** The text of a valid payload with more members, written by hand. */
  const payloadWith = (members: string): string => {
    const ts = Math.floor(at().board.clock.now() / 1000);
    return `{"v":1,"pk":"${at().agent.pk}","ts":${ts},"kind":"note","body":"Hello",${members}}`;
  };
  const accepted = async (body: string): Promise<void> => {
    const { status, body: answer } = await at().board.send(body, "/api/messages?dry_run=1");
    expect({ status, answer }).toMatchObject({ status: 200, answer: { result: "valid" } });
  };
  return { refused, refusedBody, refusedFields, refuses, refusesBody, refusesFields, sealed, payloadWith, accepted };
}

/** A nonce with almost no work: no bit, or one. */
export function lazyNonce(payload: string, bits: 0 | 1 = 0): string {
  for (let n = 0; ; n++) if (Math.clz32(Number.parseInt(sha256(`${sha256(payload)}:${n}`)[0]!, 16)) - 28 === bits) return String(n);
}
