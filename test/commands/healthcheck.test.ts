// `blackboard healthcheck`, by what the board answers.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";

const BIN = join(import.meta.dirname, "../../src/bin.ts");

test.each([
  [200, 0],
  [429, 0],
  [503, 1],
])("a board that answers %i is reported with %i: one that refuses the many requests of this address is not ill", async (status, code) => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(status).end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const child = execFile(process.execPath, [BIN, "healthcheck", "--port", String(port), "--host", "127.0.0.1"]);
  expect(await once(child, "close")).toEqual([code, null]);
  expect(asked).toEqual(["/readyz"]);
  server.close();
});
