// Posts of messages, read from the socket without the framework: the same call steps and the same answers as on the normal path.
import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { callerOf } from "../../board/limits/callers.ts";
import type { RateLimiter } from "../../board/limits/rate.ts";
import { errorBody, type Refusal } from "../../core/errors.ts";
import { admitCall, type AdmittedCall, type Guest } from "../../operations/call-steps.ts";
import type { Operation, Reply } from "../../operations/operation.ts";
import type { RequestReport } from "../../ports/telemetry.ts";
import { readText } from "./body-text.ts";
import type { Door } from "./cors-and-local-access.ts";
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
        const admitted = (call = admitCall(operation, guestAt(socket, end, turns), rates));
        admitted.countBytes(body.length);
        return this.#answered(await admitted.work(() => run(operation, admitted, body)));
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

async function run(operation: Operation, call: AdmittedCall, bytes: Buffer): Promise<Reply> {
  const { input, body } = call.read({ params: {}, query: {}, text: readText(bytes) });
  const answer = await operation.run({ input, body, query: {}, caller: call.caller, lastEventId: undefined, closed: neverClosed });
  call.succeeded(answer);
  return answer;
}

/** The post is carried out even if its caller has gone. */
const neverClosed = (): AbortSignal => new AbortController().signal;

function guestAt({ remoteAddress }: Socket, end: Exchange, turns: RequestTurns | undefined): Guest {
  const caller = callerOf(remoteAddress);
  return {
    caller,
    requireSafe() {
      throw new Error("A secret is never taken here.");
    },
    ...(turns === undefined
      ? {}
      : { turn: () => turns.enter(caller, end, end), waits: () => turns.release(end), used: (ms) => turns.used(caller, ms) }),
  };
}

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
