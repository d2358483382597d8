// Starts the bare server in another process and gives it an answer of a board.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { SameBytes } from "./fixed-response-server.ts";

/** Node.js writes these headers itself. */
const OWN_HEADERS = new Set(["date", "connection", "keep-alive"]);

export class SameBytesProcess {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  static async start(): Promise<SameBytesProcess> {
    const child = fork(new URL("./fixed-response-server.ts", import.meta.url));
    await once(child, "message");
    return new SameBytesProcess(child);
  }

  /** From now on the server sends the answer of this address. Resolves with its port. */
  async copy(url: string): Promise<number> {
    // Requests the answer as the load generator does; by default, `fetch` would request a compressed one and unpack it.
    const answer = await fetch(url, { headers: { "accept-encoding": "identity" } });
    const headers = Object.fromEntries([...answer.headers].filter(([name]) => !OWN_HEADERS.has(name)));
    this.#child.send({ headers, body: Buffer.from(await answer.arrayBuffer()).toString("base64") } satisfies SameBytes);
    const [port] = (await once(this.#child, "message")) as [number];
    return port;
  }

  [Symbol.dispose](): void {
    this.#child.kill();
  }
}
