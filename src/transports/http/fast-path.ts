// Answers that need no waiting, sent before the framework sees the request. Most requests of readers have been answered before.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { parse } from "node:querystring";
import { callerOf } from "../../board/limits/callers.ts";
import type { RateLimiter } from "../../board/limits/rate.ts";
import { versionAt, type Versions } from "./etags.ts";
import { BoundedCache } from "../../core/bounded-cache.ts";
import { filledPath } from "../../core/text/path-template.ts";
import { couldPay, onlyPays, pay } from "../../operations/call-steps.ts";
import { readInput } from "../../operations/input.ts";
import { isMoving, type Operation, type ReadyText } from "../../operations/operation.ts";
import type { Clock } from "../../ports/clock.ts";
import { isCoded, takesGzip } from "./compression.ts";
import type { Door } from "./cors-and-local-access.ts";
import { JSON_TYPE } from "./refusals.ts";
import { nextLink } from "./next-link.ts";
import { copyOf } from "./parse-request-head.ts";
import type { UnderWayAnswer, Unsent } from "./unsent-answers.ts";

export interface FastPathParts {
  readonly rates: RateLimiter;
  readonly clock: Clock;
  readonly versions: Pick<Versions, "moment">;
  readonly baseUrl: string;
  readonly door: Pick<Door, "headers" | "admits">;
  readonly trustedProxies: readonly string[];
  readonly operations: readonly Operation[];
  readonly unsent: Pick<Unsent, "admits" | "count">;
  readonly observe: (operation: string, status: number, ms: number) => void;
}

/** The parts of a request that the fast path reads. */
export type Asking = Pick<IncomingMessage, "method" | "url" | "headers" | "httpVersion"> & {
  readonly socket: Pick<IncomingMessage["socket"], "remoteAddress">;
};

export interface FastPathAnswer {
  readonly json: ReadyText["json"];
  readonly bytes: number;
  /** Headers that many answers share, as one array of names and values in turn. */
  readonly base: readonly string[];
  /** The other headers. */
  readonly head: readonly string[];
}

/** An address whose input was checked before. */
interface KnownAddress {
  readonly operation: Operation;
  /** The present answer; undefined if the request must take the normal path. */
  readonly make: () => Made | undefined;
}
/** The head, still without the length. */
interface Made extends FastPathAnswer {
  readonly head: string[];
}

const MAX_ADDRESSES = 20_000;
const LONGEST_ADDRESS = 300;

/** If Markdown is offered too, a caller that asks for it gets another answer. */
const VARIES = "Accept";
/** Addresses that can be read in only one way. */
const PLAIN_ADDRESS = /^[A-Za-z0-9/_-]+(?:\?[A-Za-z0-9_,.:&=-]+)?$/;

export class FastPath {
  readonly #parts: FastPathParts;
  readonly #known = new BoundedCache<string, KnownAddress>(MAX_ADDRESSES);

  readonly #offers: readonly Offer[];
  /** Headers of every answer in JSON. */
  readonly #inJson: readonly string[];
  /** Headers of answers that have some of their own. */
  readonly #bases = new WeakMap<object, readonly string[]>();

  constructor(parts: FastPathParts) {
    this.#parts = parts;
    this.#offers = parts.operations.filter((one) => "runSync" in one || "lasting" in one).map(offerOf);
    this.#inJson = [...Object.entries(parts.door.headers).flat(), "content-type", JSON_TYPE];
  }

  /** Called when the normal path has just answered this. */
  learn(url: string, operation: Operation, input: Record<string, unknown>): void {
    if (!this.#known.has(url)) this.#note(url, operation, input);
  }

  /** Returns whether it was answered; if not, nothing has happened. */
  send(request: IncomingMessage, response: ServerResponse): boolean {
    const { method, url = "" } = request;
    const known = method === "GET" ? this.#known.get(url) : undefined;
    const ready = known && this.#answer(known, request, response);
    if (ready === undefined) return false;
    response.writeHead(200, [...ready.base, ...ready.head]);
    const { json, bytes } = ready;
    if (typeof json === "string") response.end(json, encodingOf(json, bytes));
    else response.end(json.toBytes());
    return true;
  }

  /**
   * The answer for a caller without a response object; its tokens are taken and it is counted. Undefined if the request must take the
   * normal path; then nothing has happened.
   */
  answerTo(request: Asking, underWay: UnderWayAnswer): FastPathAnswer | undefined {
    const { url = "" } = request;
    const known = this.#known.get(url) ?? this.#recognised(url);
    return known && this.#answer(known, request, underWay);
  }

  #note(url: string, operation: Operation, input: Record<string, unknown>): KnownAddress | undefined {
    if (url.length > LONGEST_ADDRESS || !onlyPays(operation, input)) return undefined;
    const make = this.#fromMemory(operation, input) ?? this.#fromBoard(url, operation, input);
    if (make === undefined) return undefined;
    const known: KnownAddress = { operation, make };
    this.#known.set(url, known);
    return known;
  }

  #fromMemory(operation: Operation, input: Record<string, unknown>): KnownAddress["make"] | undefined {
    const find = operation.lasting?.(input);
    if (find === undefined) return undefined;
    return () => {
      const found = find();
      if (found === undefined) return undefined;
      const { latin1, type, headers } = found;
      return { json: latin1, bytes: latin1.length, base: this.#baseOf(headers), head: ["content-type", type] };
    };
  }

  #baseOf(headers: Readonly<Record<string, string>>): readonly string[] {
    let base = this.#bases.get(headers);
    if (base === undefined) this.#bases.set(headers, (base = Object.entries({ ...this.#parts.door.headers, ...headers }).flat()));
    return base;
  }

  #fromBoard(url: string, operation: Operation, input: Record<string, unknown>): KnownAddress["make"] | undefined {
    const { versions, clock } = this.#parts;
    const { moment } = versions;
    const answer = moment && operation.runSync?.(input);
    if (answer === undefined) return undefined;
    const version = versionAt(url, isMoving(operation, input));
    const varies = "format" in operation.input.shape ? [VARIES] : [];
    const linkTo = linker(this.#parts.baseUrl, url);
    return () => {
      const at = moment?.(clock.now());
      const ready = at && unlessThrown(() => answer(at));
      if (at === undefined || ready === undefined) return undefined;
      const { json } = ready;
      const bytes = typeof json === "string" ? Buffer.byteLength(json) : json.bytes;
      const vary = [...varies, ...(isCoded(bytes) ? ["Accept-Encoding"] : [])];
      const head = [...(vary.length === 0 ? [] : ["vary", vary.join(", ")]), "etag", version(at.fresh)];
      const link = linkTo(ready.next);
      if (link !== undefined) head.push("link", link);
      return { json, bytes, base: this.#inJson, head };
    };
  }

  /** Parses an address that was not answered before, if it can be read in only one way. */
  #recognised(url: string): KnownAddress | undefined {
    if (!PLAIN_ADDRESS.test(url)) return undefined;
    const [path = "", query = ""] = url.split("?", 2);
    for (const { operation, paramsOf } of this.#offers) {
      const params = paramsOf(path);
      // A parameter that is given twice is refused too.
      const input = params && unlessThrown(() => readInput(operation, params, { ...parse(query) }));
      if (input !== undefined) return this.#note(copyOf(url), operation, input);
    }
    return undefined;
  }

  #answer(known: KnownAddress, request: Asking, underWay: UnderWayAnswer): FastPathAnswer | undefined {
    if (isUnusual(request.headers) || !this.#parts.door.admits(request)) return undefined;
    const { rates, unsent } = this.#parts;
    const caller = this.#callerOf(request);
    // This is checked before anything is made, because a refusal has to stay cheap.
    if (caller === undefined || !couldPay(known.operation, caller, rates)) return undefined;
    const began = performance.now();
    const made = known.make();
    if (made === undefined) return undefined;
    const { bytes } = made;
    // Compressed answers take the normal path.
    if (isCoded(bytes) && takesGzip(request.headers)) return undefined;
    if (!unsent.admits(caller, bytes)) return undefined;
    unsent.count(underWay, () => caller, bytes);
    pay(known.operation, caller, rates);
    const ms = performance.now() - began;
    // The first milliseconds belong to the request, as on the normal path.
    if (ms > rates.tokenMs) rates.owe(known.operation.rate, caller, Math.ceil(ms / rates.tokenMs) - 1);
    this.#parts.observe(known.operation.name, 200, ms);
    made.head.push("content-length", String(bytes));
    return made;
  }

  /** The caller; undefined if it may not be the address of the connection, as behind a proxy. */
  #callerOf({ headers, socket }: Asking): string | undefined {
    const passedOn = this.#parts.trustedProxies.length > 0 && headers["x-forwarded-for"] !== undefined;
    return passedOn || socket.remoteAddress === undefined ? undefined : callerOf(socket.remoteAddress);
  }
}

/** The header that names the next page; made once for each. */
function linker(baseUrl: string, url: string): (next: ReadyText["next"]) => string | undefined {
  let last: ReadyText["next"];
  let link: string | undefined;
  return (next) => {
    if (next !== last) [last, link] = [next, typeof next !== "string" ? undefined : nextLink(baseUrl, url, next)];
    return link;
  };
}

/** A text with as many bytes as characters is plain ASCII, which needs no encoding. */
export const encodingOf = (text: string, bytes: number): "latin1" | "utf8" => (bytes === text.length ? "latin1" : "utf8");

interface Offer {
  readonly operation: Operation;
  /** The parameters in a path, if the path belongs to this operation. */
  readonly paramsOf: (path: string) => Record<string, string> | undefined;
}

function offerOf(operation: Operation): Offer {
  const { path, rest } = operation;
  const pattern = new RegExp(`^${filledPath(path, (name, atEnd) => `(?<${name}>${atEnd && rest === true ? ".+" : "[^/]+"})`)}$`);
  return {
    operation,
    paramsOf: (given) => {
      const found = pattern.exec(given);
      return found === null ? undefined : { ...found.groups };
    },
  };
}

/** The normal path alone refuses a missing Host, answers 304, reads bodies and writes Markdown. */
const isUnusual = (headers: IncomingHttpHeaders): boolean =>
  headers.host === undefined ||
  headers["if-none-match"] !== undefined ||
  headers["content-length"] !== undefined ||
  headers["transfer-encoding"] !== undefined ||
  headers.expect !== undefined ||
  /text\/markdown/i.test(headers.accept ?? "");

/** Refusals and failures are left to the normal path, which writes them. */
function unlessThrown<Value>(make: () => Value): Value | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
