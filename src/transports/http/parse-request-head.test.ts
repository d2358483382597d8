import { expect, test } from "vitest";
import { plainHead } from "./parse-request-head.ts";

const head = (...lines: readonly string[]): string => [...lines, "", ""].join("\r\n");

test("a plain head is read, and where it ends", () => {
  const text = head("GET /api/messages?limit=2 HTTP/1.1", "Host: board.example:8080", "User-Agent: curl/8.5.0", "accept:\t*/* ");
  expect(plainHead(`${text}{}`)).toEqual({
    method: "GET",
    url: "/api/messages?limit=2",
    headers: { host: "board.example:8080", "user-agent": "curl/8.5.0", accept: "*/*" },
    end: text.length,
  });
  expect(plainHead(head("GET / HTTP/1.1", "Host: a", "Connection: Keep-Alive"))?.headers.connection).toBe("Keep-Alive");
});

test.for([
  ["nothing", ""],
  ["no end", "GET / HTTP/1.1\r\nHost: a\r\n"],
  ["another version", head("GET / HTTP/1.0", "Host: a")],
  ["no version", head("GET /", "Host: a")],
  ["no address", head("GET  HTTP/1.1", "Host: a")],
  ["a blank in the address", head("GET /a b HTTP/1.1", "Host: a")],
  ["no Host", head("GET / HTTP/1.1", "Accept: */*")],
  ["no header", head("GET / HTTP/1.1")],
  ["two Hosts", head("GET / HTTP/1.1", "Host: a", "host: b")],
  ["an empty Host", head("GET / HTTP/1.1", "Host: ")],
  ["the end of the connection", head("GET / HTTP/1.1", "Host: a", "Connection: close")],
  ["a header that may mean anything", head("GET / HTTP/1.1", "Host: a", "X-Forwarded-For: 192.0.2.1")],
  ["a body in pieces", head("GET / HTTP/1.1", "Host: a", "Transfer-Encoding: chunked")],
  ["an origin", head("GET / HTTP/1.1", "Host: a", "Origin: https://elsewhere.example")],
  ["a blank before the colon", head("GET / HTTP/1.1", "Host : a")],
  ["a folded line", head("GET / HTTP/1.1", "Host: a", " b")],
  ["a bare line feed", head("GET / HTTP/1.1", "Host: a\nAccept: */*")],
  ["a character beyond ASCII", head("GET / HTTP/1.1", "Host: \u00e4")],
  ["a control character", head("GET / HTTP/1.1", "Host: a\0b")],
])("%s is not plain", ([, text = ""]) => {
  expect(plainHead(text)).toBe(undefined);
});
