// A bare node:http server with one small answer: the speed of the machine without a board.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const body = JSON.stringify({ status: "ok" });
const server = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
  response.end(body);
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("disconnect", () => process.exit(0));
