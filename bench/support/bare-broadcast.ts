// The least that a server can do for many readers: it writes the same bytes to every socket, as fast as the sockets accept them.
import { type AddressInfo, createServer, type Socket } from "node:net";

/** As long as the frame of a post of 1 KB. */
const FRAME = Buffer.from(`id: 1\nevent: message\ndata: {"content":"${"x".repeat(Number(process.argv[2] ?? 1800))}"}\n\n`);
const GREETING = Buffer.from(`HTTP/1.1 200 OK\r\n\r\nevent: hello\ndata: {}\n\nevent: live\ndata: {}\n\n`);
const ACKNOWLEDGED = Buffer.from("HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n");
const FRAMES_A_WRITE = Number(process.argv[3] ?? 1);
const written = Buffer.concat(Array.from({ length: FRAMES_A_WRITE }, () => FRAME));

const sockets = new Set<Socket>();
const server = createServer((socket) => {
  socket.setNoDelay(true);
  socket.on("data", (chunk) => {
    if (chunk.toString("latin1", 0, 4) === "POST") {
      // Handles a post in one turn: acknowledges it, then sends it to everybody.
      socket.write(ACKNOWLEDGED);
      for (const reader of sockets) reader.write(FRAME);
      return;
    }
    socket.write(GREETING);
    sockets.add(socket);
  });
  socket.on("error", () => {}).on("close", () => sockets.delete(socket));
});

/** Rounds follow one another. A socket that has not accepted the last frame is left out of the next round. */
function round(): void {
  for (const socket of sockets) if (!socket.writableNeedDrain) socket.write(written);
  setImmediate(round);
}

server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("message", () => round());
process.on("disconnect", () => process.exit(0));
