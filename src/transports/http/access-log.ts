// The access log: each request once, when its answer has gone out or its connection ended.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

export interface Access {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly status: number;
  readonly ms: number;
  readonly caller: string;
}

/** Method and path of what could not be read as a request. */
const UNREAD = "-";
/** The caller hung up before anything was answered; a status of the log alone, as other servers write it. */
const HUNG_UP = 499;

/** A request whose answer is under way. */
interface Followed {
  readonly request: IncomingMessage;
  tell(status?: number): void;
}

export class AccessLog {
  readonly #tell: (access: Access) => void;
  /** Callers behind a proxy, as the proxy names them. */
  readonly #callers = new WeakMap<IncomingMessage, string>();
  /** One connection may bring many requests at once. */
  readonly #underWay = new WeakMap<Duplex, Set<Followed>>();

  constructor(tell: (access: Access) => void) {
    this.#tell = tell;
  }

  callerOf(request: IncomingMessage, address: string): void {
    this.#callers.set(request, address);
  }

  follow(request: IncomingMessage, response: ServerResponse): void {
    const began = performance.now();
    const { socket, method = "", url = "" } = request;
    const peer = socket.remoteAddress ?? "";
    const [path = "", query = ""] = url.split(/\?(.*)/s, 2);
    const underWay = this.#underWayOn(socket);
    // Behind others of the same connection, a response gets the socket when its turn comes.
    let hadSocket = response.socket !== null;
    if (!hadSocket) response.once("socket", () => (hadSocket = true));
    const statusOf = (): number => {
      // A stream takes the socket out of the response, and writes the head of its answer itself.
      const taken = hadSocket && response.socket === null;
      return response.headersSent || taken ? response.statusCode : HUNG_UP;
    };
    const followed: Followed = {
      request,
      tell: (status = statusOf()) => {
        if (!underWay.delete(followed)) return;
        const caller = this.#callers.get(request) ?? peer;
        this.#tell({ method, path, query, status, ms: Math.round(performance.now() - began), caller });
      },
    };
    underWay.add(followed);
    response.once("close", () => followed.tell());
  }

  /** What came over a connection was answered with this before it was a whole request. */
  refused(socket: Duplex, status: number): void {
    const begun = [...(this.#underWay.get(socket) ?? [])].find(({ request }) => !request.complete);
    if (begun !== undefined) return begun.tell(status);
    this.#tell({ method: UNREAD, path: UNREAD, query: "", status, ms: 0, caller: (socket as Partial<Socket>).remoteAddress ?? "" });
  }

  #underWayOn(socket: Socket): Set<Followed> {
    const known = this.#underWay.get(socket);
    if (known !== undefined) return known;
    const underWay = new Set<Followed>();
    this.#underWay.set(socket, underWay);
    socket.once("close", () => {
      for (const followed of underWay) followed.tell();
    });
    return underWay;
  }
}
