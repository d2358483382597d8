// A caller at one address: sends requests, reads the answers, and counts them by status.
import { type ClientRequest, Agent as Connections, type IncomingMessage, request } from "node:http";

export interface Ask {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answer {
  /**
   * `none` if the board closed the connection or did not answer in time; `left` if this caller did not wait for the answer, and
   * `200 begun` if it had begun. `429 half way` if the request was refused for the work that had been done for it.
   */
  readonly status: string;
  readonly text: string;
}

/** A number of requests at once, then a number per second, whether or not they are answered. */
export interface Pace {
  readonly burst: number;
  readonly perSecond: number;
}

/** The board allows one address a few more; further requests wait here. */
const CONNECTIONS = 450;
const LONGEST_MS = 60_000;
const TEXT_CHARS = 100_000;

export class Caller {
  readonly #port: number;
  readonly #address: string;
  readonly #connections: Connections;
  readonly #over = new AbortController();
  readonly heard: Record<string, number> = {};

  constructor(port: number, address: string) {
    this.#port = port;
    this.#address = address;
    this.#connections = new Connections({ keepAlive: true, maxSockets: CONNECTIONS });
  }

  get port(): number {
    return this.#port;
  }

  get address(): string {
    return this.#address;
  }

  /** Reads the answer to its end. */
  ask(ask: Ask): Promise<Answer> {
    return new Promise((resolve) => {
      let over = false;
      let begun: number | undefined;
      const end = (found: string, text = ""): void => {
        if (over) return;
        over = true;
        const left = found === "none" && this.#over.signal.aborted;
        const status = left ? (begun === undefined ? "left" : `${begun} begun`) : refusedFor(found, text);
        this.heard[status] = (this.heard[status] ?? 0) + 1;
        resolve({ status, text });
      };
      const sent = this.#send(ask, (response) => {
        begun = response.statusCode;
        let text = "";
        response.setEncoding("latin1").on("data", (piece: string) => {
          if (text.length < TEXT_CHARS) text += piece;
        });
        response.once("close", () => end(response.complete ? String(response.statusCode) : "none", text));
      });
      sent.once("timeout", () => sent.destroy());
      sent.once("error", () => end("none"));
    });
  }

  /** Reads an endless answer until this caller leaves; resolves with the status as soon as it arrives. */
  follow(ask: Ask, heard: (piece: string) => void = () => {}): Promise<string> {
    return new Promise((resolve) => {
      const sent = this.#send(ask, (response) => {
        response
          .setEncoding("latin1")
          .on("data", heard)
          .on("error", () => {});
        resolve(String(response.statusCode));
      });
      sent.once("error", () => resolve("none"));
    });
  }

  #send({ method = "GET", path, headers = {}, body }: Ask, answered: (response: IncomingMessage) => void): ClientRequest {
    const sent = request(
      {
        host: "127.0.0.1",
        port: this.#port,
        localAddress: this.#address,
        agent: this.#connections,
        signal: this.#over.signal,
        timeout: LONGEST_MS,
        method,
        path,
        headers: { ...headers, ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }) },
      },
      answered,
    );
    sent.end(body);
    return sent;
  }

  /**
   * Sends request after request until `make` has no more or the time is over. Then it closes its connections, or stays until all are
   * answered.
   */
  async pace(
    { burst, perSecond }: Pace,
    seconds: number,
    make: (i: number) => Ask | undefined,
    after: "leaves" | "stays" = "leaves",
  ): Promise<readonly Answer[]> {
    const answers: Promise<Answer>[] = [];
    const start = performance.now();
    const due = (): number => burst + ((performance.now() - start) / 1000) * perSecond;
    for (let i = 0; performance.now() - start < seconds * 1000;) {
      for (; i < due(); i++) {
        const next = make(i);
        if (next === undefined) break;
        answers.push(this.ask(next));
      }
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    }
    if (after === "leaves") this.leave();
    return Promise.all(answers);
  }

  leave(): void {
    this.#over.abort();
    this.#connections.destroy();
  }
}

/** A request that is refused at once has cost nothing; the refusal of one that was begun says what it took. Hints mention costs too. */
const refusedFor = (status: string, text: string): string =>
  status === "429" && /this request took \d+ ms of processor time/.test(text) ? "429 half way" : status;

const TICK_MS = 10;
export const JSON_TYPE = { "content-type": "application/json" };
/** Compressing is work too. */
export const GZIP = { "accept-encoding": "gzip" };
export const PAGE = { accept: "text/html", ...GZIP };
