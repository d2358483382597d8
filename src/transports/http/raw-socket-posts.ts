// Posts of messages, read from the socket without the framework: the same call steps and the same answers as on the normal path.
import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import type { RateLimiter } from "../../board/limits/rate.ts";
import { errorBody, type Refusal } from "../../core/errors.ts";
import { admitCall, type AdmittedCall, type Asked, type CallContext, runCall } from "../../operations/call-steps.ts";
import type { Operation, Reply } from "../../operations/operation.ts";
import type { RequestReport } from "../../ports/telemetry.ts";
import { readText } from "./body-text.ts";
import type { Door } from "./cors-and-local-access.ts";
import { guestAt } from "./guest.ts";
import type { PlainHead } from "./parse-request-head.ts";
import { allowanceHeaders } from "./rate-headers.ts";
import { endsConnection, JSON_TYPE, refusalFor, refusalHeaders } from "./refusals.ts";
import type { Ending, RequestTurns } from "./request-turns.ts";

export interface DirectPostParts {
  readonly operations: readonly Operation[];
  readonly rates: RateLimiter;
  readonly turns: RequestTurns | undefined;
  readonly report: RequestReport;
  readonly baseUrl: string;
  readonly door: Pick<Door, "headers" | "admits">;
  readonly observe: (operation: string, status: number, ms: number) => void;
}

/** An answer to send; its head is a list of names and values. */
export interface DirectReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Whether the connection is closed after this answer. */
  readonly ends: boolean;
}

const JSON_BODY = /^application\/json(?:; ?charset=utf-8)?$/i;

export class DirectPosts {
  readonly #parts: DirectPostParts;
  readonly #operations: ReadonlyMap<string, Operation>;

  constructor(parts: DirectPostParts) {
    this.#parts = parts;
    this.#operations = new Map(parts.operations.filter(({ direct }) => direct === true).map((one) => [one.path, one]));
  }

  /** Returns the post, if it is whole and plain. Everything else goes to the HTTP server. */
  operationFor({ method, url, headers }: PlainHead, bodyBytes: number, socket: Socket): Operation | undefined {
    if (method !== "POST" || headers["content-length"] !== String(bodyBytes) || bodyBytes === 0) return undefined;
    if (!JSON_BODY.test(headers["content-type"] ?? "")) return undefined;
    return this.#parts.door.admits({ headers, url, socket, httpVersion: "1.1" }) ? this.#operations.get(url) : undefined;
  }

  /** Never rejects. */
  async reply(operation: Operation, body: Buffer, socket: Socket, isClosing: () => boolean): Promise<DirectReply> {
    const { rates, turns, observe } = this.#parts;
    const began = performance.now();
    const end = new Exchange(socket);
    let call: AdmittedCall | undefined;
    const answered = async (): Promise<DirectReply> => {
      try {
        const admitted = (call = admitCall(operation, guestAt(socket.remoteAddress, end, end, turns, refuseSecret), rates));
        admitted.countBytes(body.length);
        const { answer } = await admitted.work(() => runCall(operation, admitted, inputOf(body), contextOf(admitted.caller)));
        return this.#answered(answer);
      } catch (error) {
        return this.#refused(refusalFor(error, this.#parts.report));
      }
    };
    const { status, headers, text, ends } = await answered();
    call?.end(status);
    const closes = ends || isClosing();
    const allowances = "ratelimit" in headers ? {} : allowanceHeaders(call?.allowances ?? []);
    observe(operation.name, status, performance.now() - began);
    end.finish();
    return { status, headers: { ...headers, ...(closes ? { connection: "close" } : {}), ...allowances }, text, ends: closes };
  }

  #answered({ status = 200, headers, body }: Reply): DirectReply {
    return {
      status,
      headers: { ...this.#parts.door.headers, "content-type": JSON_TYPE, ...headers },
      text: JSON.stringify(body),
      ends: false,
    };
  }

  #refused(refusal: Refusal): DirectReply {
    const { door, baseUrl } = this.#parts;
    return {
      status: refusal.status,
      headers: { ...door.headers, "cache-control": "no-store", ...refusalHeaders(refusal, baseUrl), "content-type": JSON_TYPE },
      text: JSON.stringify(errorBody(refusal, baseUrl)),
      ends: endsConnection(refusal),
    };
  }
}

/** A secret is never taken here. */
function refuseSecret(): never {
  throw new Error("An operation with a secret cannot be read from the socket directly.");
}

const inputOf = (body: Buffer): Asked => ({ params: {}, query: {}, text: readText(body) });

/** The post is carried out even if its caller has gone. */
const contextOf = (caller: string): CallContext => ({ query: {}, caller, lastEventId: undefined, closed: neverClosed });
const neverClosed = (): AbortSignal => new AbortController().signal;

/** A request and its answer, as an object whose end other parts can await. */
class Exchange extends EventEmitter implements Ending {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
  }

  get destroyed(): boolean {
    return this.#socket.destroyed;
  }

  finish(): void {
    this.emit("prefinish");
    this.emit("close");
  }
}
