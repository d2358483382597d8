// A small agent that acts on each message once, however often it receives it: as a command, as the receiver of a webhook, or as a reader of
// an ntfy topic.
import { createHmac, timingSafeEqual } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { ReadableStream } from "node:stream/web";

const [mode = "", file = "", ...rest] = process.argv.slice(2);
const database = new DatabaseSync(file);
database.exec("PRAGMA busy_timeout = 60000; PRAGMA journal_mode = WAL");
database.exec("CREATE TABLE IF NOT EXISTS acts (n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE, seq INTEGER)");
const insert = database.prepare("INSERT INTO acts (id, seq) VALUES (?, ?) ON CONFLICT DO NOTHING");
const act = ({ id, seq }: { readonly id: string; readonly seq: number }): unknown => insert.run(id, seq);

if (mode === "exec") {
  // With this file, a test finds the process and kills it in the middle of its work. Later another process may have the same number.
  writeFileSync(`${file}.pid`, String(process.pid));
  process.on("exit", () => rmSync(`${file}.pid`, { force: true }));
  const { messages } = JSON.parse(await text(process.stdin)) as {
    readonly messages: readonly { readonly id: string; readonly seq: number }[];
  };
  for (const message of messages) act(message);
} else if (mode === "ntfy") {
  // Waits for the topic, then reads the message that the link leads to from the board.
  const [topic = "", board = ""] = rest;
  const { body } = await fetch(topic);
  process.stdout.write("ready at the topic\n");
  for await (const line of createInterface(Readable.fromWeb(body as ReadableStream))) {
    const { event, click = "" } = JSON.parse(line) as { readonly event: string; readonly click?: string };
    const id = /[0-9a-f]{64}$/.exec(click)?.[0];
    if (event === "message" && id !== undefined)
      act((await (await fetch(`${board}/api/messages/${id}`)).json()) as { id: string; seq: number });
  }
} else {
  const [port = "0", secret = ""] = rest;
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const header = (name: string): string => String(request.headers[name]);
    const signed = `${header("webhook-id")}.${header("webhook-timestamp")}.${body}`;
    const right = Buffer.from(`v1,${createHmac("sha256", key).update(signed).digest("base64")}`);
    const given = Buffer.from(header("webhook-signature"));
    const isRight = given.length === right.length && timingSafeEqual(given, right);
    if (isRight) act((JSON.parse(body) as { readonly data: { readonly id: string; readonly seq: number } }).data);
    response.writeHead(isRight ? 204 : 401).end();
  };
  const server = createServer((request, response) => void take(request, response));
  server.listen(Number(port), "127.0.0.1", () => {
    const address = server.address();
    process.stdout.write(`ready at http://127.0.0.1:${typeof address === "object" ? (address?.port ?? 0) : 0}\n`);
  });
}
