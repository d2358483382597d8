// Runs statements one after the other for a caller that blocks until they are done.
import { type MessagePort, workerData } from "node:worker_threads";
import { Client, type Value } from "../../../src/adapters/postgres/client.ts";

export interface StatementRequest {
  readonly sql: string;
  readonly values: readonly Value[];
}
export type StatementReply = { readonly rows: readonly unknown[] } | { readonly failed: string };

/** `signal` counts the answers. */
const { url, port, signal } = workerData as { url: string; port: MessagePort; signal: Int32Array };
const client = new Client({ url, connections: 1, name: "test" });

const say = (reply: StatementReply): void => {
  port.postMessage(reply);
  Atomics.add(signal, 0, 1);
  Atomics.notify(signal, 0);
};

port.on("message", (request: StatementRequest | "close") => {
  if (request === "close") {
    void client.end().then(() => port.close());
    return;
  }
  const { sql, values } = request;
  (values.length === 0 ? client.ask(sql, []) : client.query(sql, values)).then(
    (rows) => say({ rows: [...rows] }),
    (error: unknown) => say({ failed: String(error) }),
  );
});
