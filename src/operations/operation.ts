// The definition of an operation: address, input, descriptions, refusals and `run`. Every transport reads this.
import { z } from "zod";
import type { BoardMoment } from "../board/read/cache-freshness.ts";
import type { Feed } from "../board/live/subscriber-stream.ts";
import type { Scope } from "../board/limits/bucket-sizes.ts";
import type { ReceiptOf } from "../board/proof/inclusion-proofs.ts";
import type { Difficulty } from "../board/write/difficulty.ts";
import type { PayForStored } from "../board/write/post-steps.ts";
import type { ErrorCode } from "../core/errors.ts";
import type { BodyReader } from "../core/protocol/read-json-body.ts";
import { movesWithClock } from "../core/query/filters.ts";
import type { PageText } from "./page-json.ts";

export interface Reply {
  readonly status?: number;
  /** Sent as JSON, or unchanged if `type` is given. */
  readonly body: unknown;
  /** The body as JSON, if that exists already. */
  readonly json?: string | Buffer;
  /** Sent instead of `body`, as fast as the caller reads it; ended if the caller goes away. */
  readonly stream?: AsyncIterable<string | Uint8Array>;
  /** Sent instead of `body`: events, for as long as the reader stays. */
  readonly feed?: Feed;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The cursor of the next page, if there is one, for a Link header. */
  readonly next?: string | null;
  /** The share of a token that the call costs, if that is less than a whole one. */
  readonly tokens?: number;
  /** The agent to whose limit a write counted, so that the answer also says how much of that limit is left. */
  readonly payer?: string;
}

/** One kind of successful answer: its description, its schema, and its media types if not only JSON. */
export interface Answer {
  readonly words: string;
  readonly body?: z.ZodType;
  readonly types?: readonly string[];
}

export interface Call<Input, Body = unknown> {
  /** Path and query parameters, checked. */
  readonly input: Input;
  /** The body as the operation's own reader parsed it. */
  readonly body: Body;
  /** The query string, unparsed. */
  readonly query: Readonly<Record<string, string>>;
  readonly lastEventId: string | undefined;
  /** The address that it came from, as limits count callers. */
  readonly caller: string;
  readonly payForStored: PayForStored;
  /** Aborted if the caller disconnects before the answer. */
  readonly closed: () => AbortSignal;
  /** How many bytes the messages of one page may have, if that is less than over HTTP. */
  readonly maxBytes?: number | undefined;
  /** To be awaited after a wait and before a large answer is made. Other calls have had their turn when they begin. */
  readonly largeTurn?: (() => Promise<void>) | undefined;
}

export interface LineReply extends Pick<Reply, "status" | "tokens" | "payer"> {
  readonly body: object;
}

/** Calls of one request, one per line. They are executed together if the result is the same as one by one. */
export interface Many<Input, Body> {
  /** Lines in one request. */
  readonly most: number;
  /** The schema of each line of the answer. */
  readonly answer: z.ZodType;
  begin(input: Input): BundleCalls<Body>;
}
export interface BundleCalls<Body> {
  /** Nothing may be flushed before all lines are read. */
  readonly whole: boolean;
  /** Adds the next line; it is answered after one of the next calls of `flush`. */
  add(body: Body, payForStored: PayForStored): Promise<{ readonly reply: Promise<LineReply> }>;
  /** Resolves when all lines so far are done or refused. */
  flush(): Promise<void>;
}

/** An answer that needs no waiting: the result of `run` as JSON. */
export interface ReadyText extends Pick<Reply, "next"> {
  readonly json: string | PageText;
}

/** Bytes that never change, one character per byte, so that they are sent in one write with the head. */
export interface LastingBytes extends Required<Pick<Reply, "type" | "headers">> {
  readonly latin1: string;
}

export interface Operation<Schema extends z.ZodObject = z.ZodObject, Body = unknown> {
  readonly name: string;
  readonly method: "GET" | "POST";
  /** Parameters of the path are in braces, and in `input`. */
  readonly path: string;
  /** The last parameter of the path takes the rest of the path, slashes included. */
  readonly rest?: true;
  readonly summary: string;
  readonly input: Schema;
  /** Reads the body, if there is one. */
  readonly body?: BodyReader<Body>;
  /** Defined if the operation also takes many bodies in one request, one per line. */
  readonly many?: Many<z.infer<Schema>, Body>;
  readonly responses: Readonly<Record<number, string | Answer>>;
  readonly refusals: readonly ErrorCode[];
  /** Refusals with another status here than in the table. */
  readonly statuses?: Readonly<Partial<Record<ErrorCode, number>>>;
  /** The bucket that pays for a call. */
  readonly rate: Scope;
  /** The bucket of the writing agent of which the answer says how much is left; that of messages unless given. */
  readonly pace?: Scope;
  /** Bits of proof of work that a call needs at this moment; with more bits it costs less. */
  readonly work?: () => number;
  /** The body is stored if the answer is 201, and then its bytes count too. */
  readonly keeps?: true;
  /** A refused call gets its token back and costs a read instead. */
  readonly refunds?: boolean;
  /** A second bucket that some inputs take a token from. */
  readonly extraRate?: (input: z.infer<Schema>) => Scope | undefined;
  /** Carries a secret: HTTPS only, never cached, not for other sites' pages. */
  readonly secret?: true;
  /** Throws if the operation is switched off; called first. */
  readonly requireOpen?: () => void;
  /** Throws if the operation cannot work at the moment; called after the call is paid for, before the body is read. */
  readonly requireReady?: () => void;
  /** Whether a call stays open for long, and counts among the caller's open streams and polls. */
  readonly holds?: (input: z.infer<Schema>) => boolean;
  /** Whether the answer may be large, so that a caller with unread answers does not get it. */
  readonly large?: (input: z.infer<Schema>) => boolean;
  /** The answer is sent in chunks, at the pace of the caller's share of the processor. */
  readonly paced?: true;
  /** The description of `Last-Event-ID`, if the operation uses it. */
  readonly resumes?: string;
  /** The answer is a document that does not change while the board runs, so it has a validator and is compressed once. */
  readonly steady?: true;
  /** Whether the answer changes only when the log grows, so that a caller that has it need not get it again. */
  readonly revalidate?: true;
  /** For which inputs the answer also changes with the clock; filters that change with the clock are marked themselves. */
  readonly moves?: (input: z.infer<Schema>) => boolean;
  run(call: Call<z.infer<Schema>, Body>): Promise<Reply>;
  /**
   * Called once for an input: returns a function that answers it without waiting, if that is possible at all.
   * If that function returns undefined, `run` is needed this time.
   */
  runSync?(input: z.infer<Schema>): ((at: BoardMoment) => ReadyText | undefined) | undefined;
  /** Like `runSync`, for an answer that never changes: it is given from memory, even while something is due, and with every store. */
  lasting?(input: z.infer<Schema>): (() => LastingBytes | undefined) | undefined;
  /** The page for a caller that asks for HTML. */
  page?(call: Call<z.infer<Schema>>): Promise<string>;
  /** Posted often and answered with small JSON: read from the socket directly if it arrives in one chunk. Has no secret, page or stream. */
  readonly direct?: true;
  /** Takes text of any type instead of JSON. */
  readonly plain?: true;
  /** Takes a form of this board's own pages: as the body instead of JSON, or in the query, with empty fields. */
  readonly form?: true;
}

/** The description of an address in documents; for addresses that are not operations of the board there is nothing else. */
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
  /** Headers that it reads, and their descriptions. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The schema of refusals, with the board's error object as `error.data`; the error object itself unless given. */
  readonly refusalBody?: z.ZodType;
}

export const isMoving = ({ moves }: Pick<Operation, "moves">, input: Readonly<Record<string, unknown>>): boolean =>
  moves?.(input) === true || movesWithClock(input);

export const NO_PARAMETERS = z.strictObject({});

/** Keeps the types of input and body inside the file that defines the operation. */
export function operation<Schema extends z.ZodObject, Body>(definition: Operation<Schema, Body>): Operation {
  return definition;
}

/** An operation that reads. */
export const readOperation = <Schema extends z.ZodObject>(
  definition: Omit<Operation<Schema>, "method" | "rate"> & Partial<Pick<Operation, "rate">>,
): Operation => operation<Schema, unknown>({ method: "GET", rate: "reads", ...definition });

/** An operation that reads and takes no parameters. */
export const readWithoutParameters = (
  definition: Omit<Operation<typeof NO_PARAMETERS>, "method" | "rate" | "input" | "refusals"> & Partial<Pick<Operation, "refusals">>,
): Operation => readOperation({ input: NO_PARAMETERS, refusals: ["unknown_parameter", "rate_limited"], ...definition });

/** The refusals of every operation that reads and takes parameters. */
export const READ_REFUSALS = ["unknown_parameter", "invalid_parameter", "rate_limited"] as const;

/** The refusals of every body that says what its sender wants signed, or has signed. */
// oxfmt-ignore
export const SIGNED_BODY_REFUSALS = [
  "invalid_utf8", "invalid_json", "duplicate_key", "unknown_field", "forbidden_key", "invalid_unicode", "too_deep", "number_out_of_range",
  "invalid_field", "bad_encoding", "unsupported_version", "too_large", "unsupported_media_type", "rate_limited",
] as const;

/** The refusals of every operation that stores something. */
// oxfmt-ignore
export const STORING_REFUSALS = [
  "overloaded", "storage_full", "storage_unavailable", "log_rollback", "read_only", "shutting_down",
] as const;

/** What every operation needs that stores a signed body. */
export interface StoringParts {
  readonly difficulty: Difficulty;
  /** Throws if nothing may be written at the moment. */
  readonly requireWritable: () => void;
  readonly receiptOf: ReceiptOf;
}

/** An operation that stores a signed body. */
export const storingOperation = <Schema extends z.ZodObject, Body>(
  requireReady: () => void,
  definition: Omit<Operation<Schema, Body>, "method" | "rate" | "keeps" | "requireReady">,
): Operation => operation({ method: "POST", rate: "writes", keeps: true, requireReady, ...definition });

/** The refusals for one message. An ended message is answered with 410 if it is read, with 409 if it is posted again. */
export const OF_ONE_MESSAGE = {
  refusals: ["unknown_parameter", "invalid_parameter", "not_found", "ambiguous_id", "expired", "retracted", "removed", "rate_limited"],
  statuses: { expired: 410, retracted: 410 },
} as const;

/** The media types of operations with `format=md`. */
export const JSON_OR_MARKDOWN = ["application/json", "text/markdown"] as const;

/** An answer whose JSON exists already; the value can still be read. */
export function jsonReply(ready: Required<Pick<Reply, "json">> & Omit<Reply, "body">): Reply {
  return {
    ...ready,
    get body(): unknown {
      return JSON.parse(ready.json.toString());
    },
  };
}
