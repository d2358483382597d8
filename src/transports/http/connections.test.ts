import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { boundConnections } from "./connections.ts";

test("one IPv6 network cannot take all connections by coming from ever other addresses of its own", async () => {
  const server = createServer();
  let [arrived, refused] = [0, 0];
  // Before they are counted: where each says that it comes from.
  server.on("connection", (socket: Socket) => {
    Object.defineProperty(socket, "remoteAddress", { value: `2001:db8:1:${(arrived++).toString(16)}::1` });
  });
  boundConnections(server, { most: 2, isTrusted: () => false });
  server.on("clientError", (_error, socket) => {
    refused++;
    socket.destroy();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as { port: number };
  const sockets: Socket[] = [];
  for (let n = 0; n < 12; n++) {
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    sockets.push(socket);
    await once(server, "connection");
  }
  expect(refused).toBe(4);
  for (const socket of sockets) socket.destroy();
  server.close();
});
