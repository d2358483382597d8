// Reads the head of a plain request: one that no proxy could read in another way.
import type { IncomingHttpHeaders } from "node:http";
import { BoundedCache } from "../../core/bounded-cache.ts";

/** Headers that clients send with every request and that do not change how the answer is sent. */
const PLAIN_NAMES: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "connection",
  "content-length",
  "content-type",
  "host",
  "sec-fetch-mode",
  "user-agent",
]);
const LINE = /^([A-Za-z-]{1,40}):[ \t]*([!-~](?:[ -~]*[!-~])?)[ \t]*$/;
const END = "\r\n";
const VERSION = " HTTP/1.1";

/** The lines after the first are the same in most requests of a client, so they are cached. */
const MAX_CACHED = 500;
const LONGEST_CACHED = 1000;
const cache = new BoundedCache<string, IncomingHttpHeaders | "other">(MAX_CACHED);

export interface PlainHead {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** The position in the text at which the head ends. */
  readonly end: number;
}

/** Reads the head at the beginning of a text in which each byte is one character. Undefined if the head is not complete or not plain. */
export function plainHead(text: string): PlainHead | undefined {
  const first = text.indexOf(END);
  const end = text.indexOf(END + END, first);
  if (first === -1 || end === -1 || end - first > LONGEST_CACHED || !text.startsWith(VERSION, first - VERSION.length)) return undefined;
  const blank = text.indexOf(" ");
  const url = text.slice(blank + 1, first - VERSION.length);
  if (url === "" || url.includes(" ")) return undefined;
  const lines = text.slice(first + END.length, end);
  const headers = cache.get(lines) ?? noted(lines);
  if (headers === "other") return undefined;
  return { method: text.slice(0, blank), url, headers, end: end + END.length * 2 };
}

function noted(lines: string): IncomingHttpHeaders | "other" {
  const headers = headersOf(lines) ?? "other";
  cache.set(copyOf(lines), headers);
  return headers;
}

/** A substring keeps the whole text in memory; a copy does not. */
export const copyOf = (ascii: string): string => Buffer.from(ascii, "latin1").toString("latin1");

function headersOf(lines: string): IncomingHttpHeaders | undefined {
  const headers: Record<string, string> = {};
  for (const line of lines.split(END)) {
    const [, written = "", value = ""] = LINE.exec(line) ?? [];
    const name = written.toLowerCase();
    if (!PLAIN_NAMES.has(name) || name in headers) return undefined;
    headers[name] = value;
  }
  const { connection = "keep-alive", host } = headers;
  return host !== undefined && connection.toLowerCase() === "keep-alive" ? headers : undefined;
}
