// The bridge's end of a channel: shows the courier's messages to the client, and reports to the courier what the client has read.
import { createConnection, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { backoffMs } from "../client/pause.ts";
import type { ChannelMessages, ChannelRead } from "./mcp-channel.ts";

export interface Bridge {
  /** The client has read the messages whose id starts with `id`; without it, all that it was shown. */
  read(id?: string): void;
}

/** Stays connected as long as the process lives, and reconnects if the courier restarts. */
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
      // An error is always followed by "close".
      socket.on("error", () => {});
      socket.once("connect", () => {
        courier = socket;
        failures = 0;
      });
      const lines = createInterface({ input: socket });
      // It reports the errors of its socket again, and without a listener they would end the process.
      lines.on("error", () => {});
      lines.on("line", (line) => void take(line).catch((error: unknown) => void process.stderr.write(`${(error as Error).message}\n`)));
      // The socket alone does not keep the process alive.
      socket.unref();
      await closed;
      courier = undefined;
      // Waiting alone does not keep the process alive.
      await setTimeout(backoffMs(failures + 1, 200, 5000), undefined, { ref: false });
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
