// A request written byte by byte, for what well-behaved clients never send.
import { connect, type Socket } from "node:net";
import type { Answer } from "./board.ts";

/** Sends the parts as they are and reads until the board closes the connection. */
export async function rawRequest(url: string, ...parts: (string | Uint8Array)[]): Promise<Answer<unknown>> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  for (const part of parts) socket.write(part);
  return readAnswer(socket);
}

/** The same by a client that looks at the answer only when all of its request is written. */
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

/** The head of a request that asks the board to close the connection after its answer. */
export const head = (line: string, headers: Readonly<Record<string, string>> = {}): string =>
  `${line} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")}\r\n`;
