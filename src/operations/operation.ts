// What an operation is: its address, its input, its words, its refusals and its work. Every front door reads this.
import { z } from "zod";
import type { BoardMoment } from "../board/read/freshness.ts";
import type { Feed } from "../board/live/feed.ts";
import type { Scope } from "../board/limits/buckets.ts";
import type { ErrorCode } from "../core/errors.ts";
import type { BodyReader } from "../core/protocol/body.ts";
import { movesWithClock } from "../core/query/filters.ts";

export interface Reply {
  readonly status?: number;
  /** Sent as JSON, unless `type` says that it is a text already. */
  readonly body: unknown;
  /** The body as JSON, where it is written already. */
  readonly json?: string | Buffer;
  /** Sent instead of `body`, as fast as the caller reads it; ended if the caller goes away. */
  readonly stream?: AsyncIterable<string | Uint8Array>;
  /** Sent instead of `body`: events, for as long as the reader stays. */
  readonly feed?: Feed;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The cursor of the next page, for a Link header. */
  readonly next?: string;
  /** What it takes of the operation's bucket, where that is less than the whole token that was taken for it. */
  readonly tokens?: number;
  /** Who wrote: what is left of its own pace is told too. */
  readonly agent?: string;
}

/** One kind of good answer: what it is, its shape, and its media types if not JSON alone. */
export interface Answer {
  readonly words: string;
  readonly body?: z.ZodType;
  readonly types?: readonly string[];
}

export interface Call<Input, Body = unknown> {
  /** Path and query parameters, checked. */
  readonly input: Input;
  /** What the operation's own reader made of the body. */
  readonly body: Body;
  /** The query as it was written. */
  readonly query: Readonly<Record<string, string>>;
  readonly lastEventId: string | undefined;
  /** The address that it came from, as limits count callers. */
  readonly caller: string;
  /** Aborted when the caller goes away before the answer. */
  readonly closed: () => AbortSignal;
}

export interface LineReply extends Pick<Reply, "status" | "tokens" | "agent"> {
  readonly body: object;
}

/** Calls that come together, one a line: each is a call of its own, and they are done together as far as that comes to the same. */
export interface Many<Input, Body> {
  /** Lines in one request. */
  readonly most: number;
  /** Of each line of the answer. */
  readonly answer: z.ZodType;
  begin(input: Input): BundleCalls<Body>;
}
export interface BundleCalls<Body> {
  /** Nothing of it is to be settled before all of it is there. */
  readonly whole: boolean;
  /** The next line; it is answered in one of the next `settle`s. */
  add(body: Body): Promise<{ readonly reply: Promise<LineReply> }>;
  /** Everything so far is done, or refused. */
  settle(): Promise<void>;
}

/** An answer that is there already: what `run` would give, as JSON text. */
export type Ready = Required<Pick<Reply, "json">> & Pick<Reply, "next">;
export type ReadyText = Ready & { readonly json: string };

export interface Operation<Schema extends z.ZodObject = z.ZodObject, Body = unknown> {
  readonly name: string;
  readonly method: "GET" | "POST";
  /** Parameters of the path stand in braces and in `input`. */
  readonly path: string;
  /** The last parameter of the path takes all that follows, with its slashes. */
  readonly rest?: true;
  readonly summary: string;
  readonly input: Schema;
  /** Reads the body, where there is one. */
  readonly body?: BodyReader<Body>;
  /** Takes many bodies in one request too, one a line, where there is a way to do them together. */
  readonly many?: Many<z.infer<Schema>, Body>;
  readonly responses: Readonly<Record<number, string | Answer>>;
  readonly refusals: readonly ErrorCode[];
  /** Where a refusal has another status here than in the table. */
  readonly statuses?: Readonly<Partial<Record<ErrorCode, number>>>;
  /** Whose bucket of which kind pays for a call. */
  readonly rate: Scope;
  /** Whose own bucket of an agent that writes tells its pace; that of messages unless given. */
  readonly pace?: Scope;
  /** Bits of proof of work that a call has to bring at this moment; with more of them it takes less of its bucket. */
  readonly work?: () => number;
  /** What is sent is kept where the answer is 201, and then counts in bytes too. */
  readonly keeps?: true;
  /** Only what was done counts: a refused call gives back what it took and costs a read, since looking at it was no more than that. */
  readonly refunds?: boolean;
  /** A second bucket that some inputs pay from. */
  readonly extraRate?: (input: z.infer<Schema>) => Scope | undefined;
  /** Carries a secret: HTTPS only, never cached, not for other sites' pages. */
  readonly secret?: true;
  /** Throws where it is switched off; asked first of all. */
  readonly requireOpen?: () => void;
  /** Throws where it can do nothing at the moment; asked once the call is paid for, before the body is read. */
  readonly requireReady?: () => void;
  /** Whether a call stays open for long, and counts among the caller's open streams and polls. */
  readonly holds?: (input: z.infer<Schema>) => boolean;
  /** Whether the answer may be so large that a caller who leaves others unread does not get it. */
  readonly large?: (input: z.infer<Schema>) => boolean;
  /** Sent piece by piece, and made at the pace at which its caller may use the processor. */
  readonly paced?: true;
  /** What `Last-Event-ID` does, where it is heeded. */
  readonly resumes?: string;
  /** Documents: the same for as long as the board runs, so they have a validator and are compressed once. */
  readonly steady?: true;
  /** Whether the answer only changes when the log moves, so that a caller who has it need not get it again. */
  readonly revalidate?: true;
  /** For which inputs the answer changes with the clock too; where that hangs on a filter, the filter says so. */
  readonly moves?: (input: z.infer<Schema>) => boolean;
  run(call: Call<z.infer<Schema>, Body>): Promise<Reply>;
  /**
   * Looked up once for an input: how to answer it at a moment without waiting, if that can be at all.
   * Undefined from the inner function means that this time it takes `run`.
   */
  atHand?(input: z.infer<Schema>): ((at: BoardMoment) => ReadyText | undefined) | undefined;
  /** The same for people: what a caller gets who asks for HTML. */
  page?(call: Call<z.infer<Schema>>): Promise<string>;
  /** Posted often and answered in JSON of moderate size: taken from the socket, where it comes in one piece. Without secret, page or stream. */
  readonly direct?: true;
  /** Takes a text of whatever type instead of JSON. */
  readonly plain?: true;
  /** Takes the fields of a form of this board's own pages: instead of JSON, or in the address with all that were left empty. */
  readonly form?: true;
}

/** What documents tell of an address; all there is to tell of one that is no operation of the board's own. */
export interface Described extends Pick<
  Operation,
  | "name"
  | "method"
  | "path"
  | "summary"
  | "input"
  | "responses"
  | "refusals"
  | "statuses"
  | "rate"
  | "secret"
  | "resumes"
  | "revalidate"
  | "plain"
> {
  readonly body?: Pick<BodyReader<unknown>, "schema">;
  readonly many?: Pick<Many<never, never>, "most" | "answer">;
  /** Headers that it heeds, and what each is for. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The form in which refusals come, with the board's error object as its `error.data`; the error object itself unless given. */
  readonly refusalBody?: z.ZodType;
}

export const isMoving = ({ moves }: Pick<Operation, "moves">, input: Readonly<Record<string, unknown>>): boolean =>
  moves?.(input) === true || movesWithClock(input);

/** Keeps the types of input and body inside the file that defines the operation. */
export function operation<Schema extends z.ZodObject, Body>(definition: Operation<Schema, Body>): Operation {
  return definition;
}

/** How one message is refused. Who asks for one that has ended learns that it is gone; who posts it again, that it was here. */
export const OF_ONE_MESSAGE = {
  refusals: ["unknown_parameter", "invalid_parameter", "not_found", "ambiguous_id", "expired", "retracted", "removed", "rate_limited"],
  statuses: { expired: 410, retracted: 410 },
} as const;

/** Where `format=md` is offered. */
export const JSON_OR_MARKDOWN = ["application/json", "text/markdown"] as const;

/** An answer whose JSON text exists already; its value can still be read. */
export function jsonReply(ready: Ready & Omit<Reply, "body">): Reply {
  return {
    ...ready,
    get body(): unknown {
      return JSON.parse(ready.json.toString());
    },
  };
}
