// Calls of the assisted endpoints, and checks that apply to all of their answers.
import { expect } from "vitest";
import type { Envelope } from "../../src/core/protocol/envelope.ts";
import type { Answer, PostBody, TestBoard } from "./board.ts";

type Assisted = PostBody & { readonly envelope: Envelope };
export interface Keygen {
  readonly secret_key: string;
  readonly pk: string;
  readonly agent_id: string;
  readonly warning: string;
}
interface AliasAnswer {
  readonly op: string;
  readonly alias: string;
  readonly agent: string;
  readonly expires_at: string;
}

/** So much proof of work that an answer can only come before it is done. */
export const ENDLESS = ["--pow-bits", "60", "--pow-max-bits", "60"];

export const ask = async <Body>(board: TestBoard, path: string, body: unknown, headers?: Record<string, string>): Promise<Answer<Body>> =>
  (await board.send(typeof body === "string" ? body : JSON.stringify(body), `/api/assist/${path}`, headers)) as unknown as Answer<Body>;
export const post = (board: TestBoard, key: string, message: unknown, more: object = {}) =>
  ask<Assisted>(board, "post", { secret_key: key, message, ...more });
export const alias = (board: TestBoard, key: string, name: string, op?: string) =>
  ask<AliasAnswer>(board, "alias", { secret_key: key, alias: name, ...(op === undefined ? {} : { op }) });
export async function keygen(board: TestBoard): Promise<Keygen> {
  const { status, body } = await board.get<Keygen>("/api/assist/keygen", { method: "POST" });
  expect(status).toBe(200);
  return body;
}

export function expectPrivate({ headers }: Answer<unknown>): void {
  expect(headers.get("cache-control")).toBe("no-store");
  expect([...headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
}
