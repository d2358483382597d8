// A bare node:http server that answers every request with given bytes: the lowest cost of an answer of that size.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface SameBytes {
  readonly headers: Readonly<Record<string, string>>;
  /** In base64. */
  readonly body: string;
}

let answer = { headers: {} as SameBytes["headers"], body: Buffer.alloc(0) };
const server = createServer((_request, response) => {
  response.writeHead(200, answer.headers);
  response.end(answer.body);
});
process.on("message", (given: SameBytes) => {
  answer = { headers: given.headers, body: Buffer.from(given.body, "base64") };
  process.send?.((server.address() as AddressInfo).port);
});
process.on("disconnect", () => process.exit(0));
server.listen(0, "127.0.0.1", () => process.send?.("listening"));
