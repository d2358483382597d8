// A request written byte by byte, for tests of what well-behaved clients never send.
import { connect, type Socket } from "node:net";
import { text as textOf } from "node:stream/consumers";
import type { Answer } from "./board.ts";

/** Sends the parts unchanged and reads until the board closes the connection. */
export async function rawRequest(url: string, ...parts: (string | Uint8Array)[]): Promise<Answer<unknown>> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  for (const part of parts) socket.write(part);
  return readAnswer(socket);
}

/** The same with a client that reads the answer only after its whole request is written. */
export async function writeThenRead(url: string, ...parts: (string | Uint8Array)[]): Promise<Answer<unknown>> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) }).pause();
  for (const part of parts)
    await new Promise<void>((resolve, reject) => socket.write(part, (error) => (error ? reject(error) : resolve())));
  return readAnswer(socket);
}

async function readAnswer(socket: Socket): Promise<Answer<unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  const end = text.indexOf("\r\n\r\n");
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = new Headers(lines.map((line): [string, string] => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1)]));
  const body = text.slice(end + 4);
  const json = headers.get("content-type")?.startsWith("application/json") === true && body !== "";
  return { status: Number(first.split(" ")[1]), headers, body: json ? (JSON.parse(body) as unknown) : body };
}

/** The statuses of requests without a body on one connection, sent without waiting for answers. */
export async function statusesOf(
  url: string,
  requests: readonly (readonly [line: string, headers: Readonly<Record<string, string>>])[],
): Promise<number[]> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  const last = requests.length - 1;
  socket.write(requests.map(([line, headers], i) => (i === last ? head(line, headers) : requestText(line, headers))).join(""));
  const answers = await textOf(socket);
  return [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

const requestText = (line: string, headers: Readonly<Record<string, string>>): string =>
  `${line} HTTP/1.1\r\nhost: localhost\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")}\r\n`;

/** The head of a request that asks the board to close the connection after its answer. */
export const head = (line: string, headers: Readonly<Record<string, string>> = {}): string =>
  requestText(line, { connection: "close", ...headers });
