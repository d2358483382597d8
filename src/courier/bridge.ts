// The bridge's end of a channel: what the courier sends is shown to the client, and what the client then reads is told to the courier.
import { createConnection, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { backoffMs } from "../client/pause.ts";
import type { ChannelMessages, ChannelRead } from "./channel.ts";

export interface Bridge {
  /** The client has read the one whose id begins so; all that it was shown where none is named. */
  read(id?: string): void;
}

/** For as long as the process lives, also where the courier comes and goes. */
export function joinChannel(path: string, show: (shown: ChannelMessages) => Promise<void>): Bridge {
  const shown = new Set<string>();
  let courier: Socket | undefined;

  async function take(line: string): Promise<void> {
    const messages = JSON.parse(line) as ChannelMessages;
    await show(messages);
    for (const { id } of messages.messages) shown.add(id);
  }

  async function follow(): Promise<never> {
    for (let failures = 1; ; failures++) {
      const socket = createConnection(path);
      const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
      // If nobody listens at the socket, it is closed too.
      socket.on("error", () => {});
      socket.once("connect", () => {
        courier = socket;
        failures = 0;
      });
      createInterface({ input: socket }).on(
        "line",
        (line) => void take(line).catch((error: unknown) => void process.stderr.write(`${(error as Error).message}\n`)),
      );
      // It alone keeps no process alive.
      socket.unref();
      await closed;
      courier = undefined;
      await idle(backoffMs(failures + 1, 200, 5000));
    }
  }
  void follow();

  return {
    read(id = "") {
      const ids = [...shown].filter((one) => one.startsWith(id));
      for (const one of ids) shown.delete(one);
      if (ids.length > 0) courier?.write(`${JSON.stringify({ type: "read", ids } satisfies ChannelRead)}\n`);
    },
  };
}

/** Waits without keeping the process alive. */
const idle = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms).unref());
