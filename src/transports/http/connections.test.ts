import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
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
  const rates = { connectionsAtOnce: 2, has: () => true, owe() {} };
  boundConnections(server, { rates, isTrusted: () => false });
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

test("whoever owes many reads gets no more TLS handshakes, each of which costs a part of a token", async () => {
  const server = createTlsServer();
  const owed: unknown[] = [];
  let left = 1;
  boundConnections(server, {
    rates: { connectionsAtOnce: 9, has: () => left-- > 0, owe: (...due) => void owed.push(due) },
    isTrusted: () => false,
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as { port: number };
  const first = connect(port, "127.0.0.1");
  await once(server, "connection");
  const second = connect(port, "127.0.0.1").on("error", () => {});
  await once(second, "close");
  expect([owed, first.destroyed]).toEqual([[["reads", "127.0.0.1", 1 / 4]], false]);
  first.destroy();
  server.close();
});
