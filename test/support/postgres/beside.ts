// A test board's PostgreSQL database with the interface of a SQLite file: when the call returns, the statement is done.
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import type { Beside } from "../database.ts";
import type { StatementReply, StatementRequest } from "./statements-thread.ts";

/** Only a hanging statement reaches this timeout. */
const LONGEST_MS = 300_000;

export function besidePostgres(url: string): Beside {
  const { port1, port2 } = new MessageChannel();
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL("./statements-thread.ts", import.meta.url), {
    workerData: { url, port: port2, signal },
    transferList: [port2],
  });
  worker.unref();
  port1.unref();

  const run = (sql: string, values: StatementRequest["values"]): readonly Record<string, unknown>[] => {
    const answered = Atomics.load(signal, 0);
    let n = 0;
    port1.postMessage({ sql: sql.replaceAll("?", () => `$${++n}`), values } satisfies StatementRequest);
    // The notification of the answer before this one can come as late as now: only the count says that the answer is there.
    while (Atomics.load(signal, 0) === answered && Atomics.wait(signal, 0, answered, LONGEST_MS) !== "timed-out");
    const reply = receiveMessageOnPort(port1)?.message as StatementReply | undefined;
    if (reply === undefined) throw new Error(`No answer to ${sql}`);
    if ("failed" in reply) throw new Error(reply.failed);
    return reply.rows as readonly Record<string, unknown>[];
  };
  const close = (): void => port1.postMessage("close");
  return {
    tables: "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1",
    prepare: (sql) => ({
      run: (...values) => void run(sql, values),
      get: (...values) => run(sql, values)[0],
      all: (...values) => [...run(sql, values)],
    }),
    exec: (sql) => void run(sql, []),
    close,
    [Symbol.dispose]: close,
  };
}
