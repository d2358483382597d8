// A courier: one process that follows an inbox and delivers its messages, each delivery independently.
import { join } from "node:path";
import { lockFile } from "../adapters/sqlite/open.ts";
import { makeDirectory } from "../adapters/system/make-directory.ts";
import { connect } from "../client/board-handle.ts";
import type { Signer } from "../client/key.ts";
import { acksOf, noAcks } from "./acks.ts";
import type { Adapter } from "./adapter.ts";
import { channelAdapter, ChannelServer } from "./mcp-channel.ts";
import type { CourierConfig, Delivery } from "./config.ts";
import { deliver } from "./delivery-loop.ts";
import { execAdapter } from "./exec.ts";
import { ntfyAdapter } from "./ntfy.ts";
import { inboxSource, seenBy } from "./source.ts";
import { stateFile } from "./state.ts";
import { webhookAdapter } from "./webhook.ts";

export const SOCKET = "courier.sock";

export interface CourierParts {
  readonly config: CourierConfig;
  readonly agent: string;
  /** Signs acknowledgements, if any are configured. */
  readonly key: Signer | undefined;
  readonly now: () => number;
  readonly write: (line: string) => void;
}

/** Resolves when `signal` aborts it; rejects with errors that trying again cannot fix. */
export async function runCourier({ config, agent, key, now, write }: CourierParts, signal: AbortSignal): Promise<void> {
  makeDirectory(config.state);
  // The socket alone is not enough: two couriers that start at the same moment would both find it free.
  using _lock = lockFile(join(config.state, "courier.lock"), `Another courier is using ${config.state}.`);
  const channel = await ChannelServer.open(join(config.state, SOCKET));
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const board = connect(config.board, { attempts: 1 });
  const run = async (one: Delivery): Promise<void> => {
    const report = (words: string): void => write(`${one.name}: ${words}\n`);
    const parts = {
      board: config.board,
      agent,
      from: config.from,
      retryMs: one.retry_s * 1000,
      retryMostMs: one.retry_most_s * 1000,
      source: inboxSource(board, agent, one, report),
      adapter: adapterOf(one),
      states: stateFile(config.state, one.name),
      acks: one.ack === "none" || key === undefined ? noAcks : acksOf({ board, key, what: one.ack, report }),
      report,
      now,
    };
    await deliver(parts, either).catch((error: unknown) => {
      if (!either.aborted) throw error;
    });
  };
  const adapterOf = (one: Delivery): Adapter => {
    switch (one.adapter) {
      case "exec":
        return execAdapter(one);
      case "webhook":
        return webhookAdapter(one, now);
      case "ntfy":
        return ntfyAdapter(one);
      case "mcp-channel":
        return channelAdapter({
          server: channel,
          ackWithinMs: one.ack_within_s * 1000,
          seen: (asked) => seenBy(board, agent, asked),
          fallback: one.fallback === undefined ? undefined : execAdapter(one.fallback),
        });
    }
  };
  write(`courier for ${agent} at ${config.board}: ${config.deliver.map(({ name, adapter }) => `${name} (${adapter})`).join(", ")}\n`);
  try {
    await Promise.all(config.deliver.map(run));
  } finally {
    stop.abort();
    await channel.close();
  }
}
