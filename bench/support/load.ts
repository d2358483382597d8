// Load over raw sockets. Requests are prepared bytes and answers are only measured, so that the generator uses little of the machine.
import { connect } from "node:net";

export interface Load {
  /** The connections are spread evenly over these. */
  readonly ports: readonly number[];
  readonly connections: number;
  readonly seconds: number;
  /** The bytes of the next request; undefined ends the run. */
  readonly next: () => Buffer | undefined;
  /** How a connection sends requests and recognises answers; HTTP unless given. */
  readonly converse?: Converse | undefined;
}

/** One connection, until there is nothing more to send; calls `note` for each answer. */
export type Converse = (port: number, take: () => Buffer | undefined, note: (status: string, ms: number) => void) => Promise<void>;

export interface Measured {
  readonly answers: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly statuses: Readonly<Record<string, number>>;
}

/** Each connection sends its next request when its last one is answered. */
export async function drive({ ports, connections, seconds, next, converse = overHttp }: Load): Promise<Measured> {
  const times: number[] = [];
  const statuses: Record<string, number> = {};
  const start = performance.now();
  const end = start + seconds * 1000;
  const take = (): Buffer | undefined => (performance.now() < end ? next() : undefined);
  const note = (status: string, ms: number): void => {
    times.push(ms);
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  await Promise.all(Array.from({ length: connections }, (_, i) => converse(ports[i % ports.length]!, take, note)));
  const took = (performance.now() - start) / 1000;
  times.sort((a, b) => a - b);
  return { answers: times.length, perSecond: times.length / took, p50: quantile(times, 0.5), p99: quantile(times, 0.99), statuses };
}

export const quantile = (sorted: ArrayLike<number>, at: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? Number.NaN;

const overHttp: Converse = (port, take, note) =>
  new Promise((resolve, reject) => {
    let sentAt = 0;
    let status = "";
    let missing = 0;
    const send = (): void => {
      const request = take();
      if (request === undefined) {
        socket.destroy();
        resolve();
        return;
      }
      sentAt = performance.now();
      socket.write(request);
    };
    const onread = {
      // One buffer per connection, reused for each read.
      buffer: Buffer.allocUnsafe(64 * 1024),
      callback(bytes: number, buffer: Uint8Array): boolean {
        const chunk = buffer as Buffer;
        if (missing === 0) {
          status = chunk.toString("latin1", 9, 12);
          missing = answerLength(chunk, bytes);
        }
        missing -= bytes;
        if (missing === 0) {
          note(status, performance.now() - sentAt);
          send();
        } else if (missing < 0) reject(new Error("An answer was longer than its Content-Length."));
        return true;
      },
    };
    const socket = connect({ port, host: "127.0.0.1", noDelay: true, onread }, send);
    socket.on("error", reject).on("end", () => reject(new Error("The server closed a connection.")));
  });

/** The Link header to the next page of a search may be long. */
const LONGEST_HEAD = 16_384;

/** The length of head and body together. The servers measured here send the head in one piece, with Content-Length. */
function answerLength(chunk: Buffer, bytes: number): number {
  const head = chunk.toString("latin1", 0, Math.min(bytes, LONGEST_HEAD));
  const end = head.indexOf("\r\n\r\n");
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(head);
  if (end < 0 || length === null) throw new Error(`An answer without a length: ${head.slice(0, 200)}`);
  return end + 4 + Number(length[1]);
}
