// Talks to a board over plain HTTP, and shows its answer in one line.
import { expect } from "vitest";
import { TestBoard } from "../support/board.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { ALIAS_BITS, type Envelope, Signer } from "./signer.ts";

/** The fields of a record that these tests read. */
export interface Message {
  readonly id: string;
  readonly seq: number;
  readonly url: string;
  readonly score?: number;
  readonly reason?: string;
  readonly match?: { readonly needs: readonly string[]; readonly of: number };
  readonly depth?: number;
  readonly server: { readonly received_at: string; readonly expires_at: string; readonly author: { readonly id: string } };
  readonly meta: Readonly<Record<string, unknown>>;
  readonly content: Readonly<Record<string, unknown>>;
  readonly derived: Readonly<Record<string, unknown>>;
  readonly raw?: Envelope;
}

export interface Refused {
  readonly error?: { readonly code: string; readonly hint: string; readonly details?: Readonly<Record<string, unknown>> };
}

export interface Posted extends Message, Refused {
  readonly result?: string;
  readonly warnings?: readonly { readonly code: string }[];
}

export interface Listed extends Refused {
  readonly messages: readonly Message[];
  readonly next_cursor: string | null;
  readonly latest_seq: number;
}

export interface Answer<Body = Refused> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** `201`, `201 empty` (a warning), `400 invalid_field`: the form in which the tables expect an answer. */
export function said({ status, body }: Answer<unknown>): string {
  if (status < 400) {
    const warnings = (body as Posted | string | undefined) instanceof Object ? (body as Posted).warnings : undefined;
    return [status, ...(warnings ?? []).map((one) => one.code)].join(" ");
  }
  const text = expect.stringMatching(/./);
  expect(body).toMatchObject({ error: { code: text, message: text, hint: text, docs: text } });
  return `${status} ${(body as Refused).error?.code}`;
}

/** A board and its caller. Its time moves only by hand, and begins at a whole second. */
export class Talk implements AsyncDisposable {
  readonly board: TestBoard;

  private constructor(board: TestBoard) {
    this.board = board;
  }

  static async start(...flags: string[]): Promise<Talk> {
    const clock = new ManualClock(Math.floor(Date.now() / 1000) * 1000);
    return new Talk(await TestBoard.start({ clock, flags }));
  }

  signer(): Signer {
    return new Signer(() => this.board.clock.now());
  }

  pass(seconds: number): void {
    this.board.clock.advance(seconds * 1000);
  }

  get<Body = Refused>(path: string, init?: RequestInit): Promise<Answer<Body>> {
    return this.board.get<Body>(path, init);
  }

  /** Sends any body to any address. */
  send<Body = Posted>(body: string | Uint8Array<ArrayBuffer>, path = "/api/messages", headers: object = {}): Promise<Answer<Body>> {
    return this.get<Body>(path, { method: "POST", headers: { "content-type": "application/json", ...headers }, body });
  }

  post(by: Signer, fields: object, blobs?: Readonly<Record<string, string>>): Promise<Answer<Posted>> {
    return this.send(JSON.stringify(by.seal(by.text(fields), blobs)));
  }

  /** Posts a message that must be accepted. */
  async put(by: Signer, fields: object, blobs?: Readonly<Record<string, string>>): Promise<Posted> {
    const answer = await this.post(by, fields, blobs);
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 201, body: { result: "created" } });
    return answer.body;
  }

  alias<Body = Refused>(by: Signer, op: string, alias: string, more: object = {}): Promise<Answer<Body>> {
    return this.send<Body>(JSON.stringify(by.seal(by.text({ op, alias, ...more }), undefined, ALIAS_BITS)), "/api/aliases");
  }

  async record(id: string): Promise<Message> {
    const answer = await this.get<Message>(`/api/messages/${id}`);
    expect(said(answer)).toBe("200");
    return answer.body;
  }

  async head(): Promise<number> {
    return (await this.get<Listed>("/api/messages?limit=1")).body.latest_seq;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.board[Symbol.asyncDispose]();
  }
}

/** Replaces each `{name}` of a table by the id or value on the board. */
export const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\{([a-z_]+)\}/g, (whole, name: string) => values[name] ?? whole);
