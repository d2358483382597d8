// Long answers are compressed for callers that accept it, with the same content.
import { expect, test } from "vitest";
import { TestBoard } from "../support/board.ts";

test("a long list, and the vocabulary, are compressed if the caller accepts it; a short list is not", async () => {
  await using board = await TestBoard.start();
  const agent = board.agent();
  const asked = (path: string, coding: string) => fetch(board.url + path, { headers: { "accept-encoding": coding } });
  await board.put(agent, { kind: "note", title: "short" });
  expect((await asked("/api/messages?include=body", "gzip")).headers.get("content-encoding")).toBe(null);
  for (let n = 0; n < 4; n++) await board.put(agent, { kind: "note", body: `${n} ${"Wörter, viele Wörter. ".repeat(300)}` });
  for (const path of ["/api/messages?include=body&fields=content.body", "/api/messages?include=body&format=md", "/api/kinds"]) {
    const plain = await asked(path, "identity");
    expect([plain.headers.get("content-encoding"), plain.headers.get("vary")], path).toEqual([
      null,
      expect.stringContaining("Accept-Encoding") as string,
    ]);
    const text = (await plain.text()).replaceAll(/"(as_of|ts)":[^,}]*|as of \S+|[0-9a-f]{12,32}/g, "");
    for (const coding of ["gzip", "br, gzip;q=0.5", "gzip, deflate"]) {
      const short = await asked(path, coding);
      expect(short.headers.get("content-encoding"), path).toBe("gzip");
      expect(Number(short.headers.get("content-length"))).toBeLessThan(Number(plain.headers.get("content-length")) / 2);
      expect((await short.text()).replaceAll(/"(as_of|ts)":[^,}]*|as of \S+|[0-9a-f]{12,32}/g, "")).toBe(text);
    }
    expect((await asked(path, "gzip;q=0")).headers.get("content-encoding"), path).toBe(null);
  }
  // The direct path, without the framework, supports it too.
  for (let times = 0; times < 3; times++) {
    const { headers } = await asked("/api/messages?include=body", "gzip");
    expect(headers.get("content-encoding")).toBe("gzip");
    expect(headers.get("etag")).toMatch(/^W\//);
  }
});
