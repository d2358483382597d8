// Answers that need no waiting, sent before the framework sees the request: most of what readers ask for, they or others have asked before.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { callerOf } from "../../board/limits/callers.ts";
import type { RateLimiter } from "../../board/limits/rate.ts";
import type { Freshness, Moment } from "../../board/read/freshness.ts";
import { versionAt, type Versions } from "./versions.ts";
import { BoundedCache } from "../../core/bounded-cache.ts";
import { couldPay, pay } from "../../operations/call.ts";
import { isMoving, type Operation, type Ready } from "../../operations/operation.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Door } from "./door.ts";
import { JSON_TYPE } from "./refusals.ts";
import { nextLink } from "./next-link.ts";
import type { Unsent } from "./unsent.ts";

export interface AtHandParts {
  readonly rates: RateLimiter;
  readonly clock: Clock;
  readonly versions: Pick<Versions, "moment">;
  readonly baseUrl: string;
  readonly door: Pick<Door, "headers" | "admits">;
  readonly trustedProxies: readonly string[];
  readonly unsent: Pick<Unsent, "admits" | "count">;
  readonly observe: (operation: string, status: number, ms: number) => void;
}

/** An address that was answered the usual way before, so that its input is known to be good. */
interface Known {
  readonly operation: Operation;
  readonly version: (at: Freshness) => string;
  readonly answer: (at: Moment) => Ready | undefined;
  next: string | undefined;
  link: string | undefined;
}

const ADDRESSES_KEPT = 20_000;
const LONGEST_ADDRESS_KEPT = 300;

/** Where Markdown is offered too, who asks for it gets another answer. */
const VARIES: readonly string[] = ["vary", "Accept"];

export class FastPath {
  readonly #parts: AtHandParts;
  readonly #known = new BoundedCache<string, Known>(ADDRESSES_KEPT);

  readonly #head: readonly string[];

  constructor(parts: AtHandParts) {
    this.#parts = parts;
    this.#head = [...Object.entries(parts.door.headers).flat(), "content-type", JSON_TYPE];
  }

  /** The usual way has just answered this. */
  learn(url: string, operation: Operation, input: Record<string, unknown>): void {
    if (this.#parts.versions.moment === undefined || url.length > LONGEST_ADDRESS_KEPT || this.#known.has(url)) return;
    const answer = operation.atHand?.(input);
    if (answer === undefined) return;
    this.#known.set(url, { operation, version: versionAt(url, isMoving(operation, input)), answer, next: undefined, link: undefined });
  }

  /** Whether it has been answered; if not, nothing has happened. */
  send(request: IncomingMessage, response: ServerResponse): boolean {
    const { url = "", headers } = request;
    const known = request.method === "GET" ? this.#known.get(url) : undefined;
    if (known === undefined || isUnusual(headers) || !this.#parts.door.admits(request)) return false;
    const { rates, unsent, versions, clock } = this.#parts;
    const caller = this.#callerOf(request);
    // Before anything is made for it: a refusal has to stay cheap.
    if (caller === undefined || !couldPay(known.operation, caller, rates)) return false;
    const began = performance.now();
    const at = versions.moment?.(clock.now());
    const ready = at && answerOf(known, at);
    if (at === undefined || ready === undefined) return false;
    const bytes = Buffer.byteLength(ready.json);
    if (!unsent.admits(caller, bytes)) return false;
    unsent.count(response, () => caller, ready.json);
    pay(known.operation, caller, rates);
    const head = [
      ...this.#head,
      ...("format" in known.operation.input.shape ? VARIES : []),
      "etag",
      known.version(at.fresh),
      "content-length",
      String(bytes),
    ];
    const link = this.#linkOf(known, url, ready.next);
    if (link !== undefined) head.push("link", link);
    response.writeHead(200, head);
    // As many bytes as characters: plain ASCII, which needs no encoding.
    response.end(ready.json, bytes === ready.json.length ? "latin1" : "utf8");
    this.#parts.observe(known.operation.name, 200, performance.now() - began);
    return true;
  }

  /** Undefined where it may not be the address of the connection. */
  #callerOf({ headers, socket }: IncomingMessage): string | undefined {
    const passedOn = this.#parts.trustedProxies.length > 0 && headers["x-forwarded-for"] !== undefined;
    return passedOn || socket.remoteAddress === undefined ? undefined : callerOf(socket.remoteAddress);
  }

  #linkOf(known: Known, url: string, next: string | undefined): string | undefined {
    if (next !== known.next) {
      known.next = next;
      known.link = next === undefined ? undefined : nextLink(this.#parts.baseUrl, url, next);
    }
    return known.link;
  }
}

/** Only the usual way refuses for lack of a Host, tells that nothing is new, reads bodies and writes Markdown. */
const isUnusual = (headers: IncomingHttpHeaders): boolean =>
  headers.host === undefined ||
  headers["if-none-match"] !== undefined ||
  headers["content-length"] !== undefined ||
  headers["transfer-encoding"] !== undefined ||
  headers.expect !== undefined ||
  /text\/markdown/i.test(headers.accept ?? "");

/** What is refused or fails is so the usual way, where refusals have their words. */
function answerOf({ answer }: Known, at: Moment): Ready | undefined {
  try {
    return answer(at);
  } catch {
    return undefined;
  }
}
