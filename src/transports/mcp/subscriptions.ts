// Subscriptions: a client that subscribes to an inbox is notified each time something in it is new or has changed.
import { setTimeout } from "node:timers/promises";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { Refusal } from "../../core/errors.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { inboxIn } from "./resources.ts";
import type { Ask } from "./tool-context.ts";

/** As many as the waits that one caller may have open. */
const MOST = 20;

const PAUSE_MS = 200;

/** Follows these addresses: reports changes from now on, until `gone`. */
export type Follow<Visit> = (
  uris: readonly string[],
  visit: Visit,
  gone: AbortSignal,
) => Promise<(changed: (uri: string) => void) => Promise<unknown>>;

/** Reports every change until `gone`; rejects if it cannot continue. */
export type Watch = (changed: () => void, gone: AbortSignal) => Promise<void>;

interface Looked {
  readonly messages: readonly unknown[];
  readonly latest_seq: number;
}

/** Throws if there is no such inbox. The returned watch reports all changes after this resolved. */
export async function watchInbox(uri: string, ask: Ask): Promise<Watch> {
  const agent = inboxIn(uri);
  if (agent === undefined)
    throw new Refusal("invalid_parameter", `You cannot subscribe to ${uri.slice(0, 100)}.`, {
      hint: "Subscribe to blackboard://inbox/{agent}, with an agent id or an alias.",
      details: { parameter: "uri" },
    });
  const question = { agent_id: agent, limit: 1, fields: "id" };
  let { latest_seq: from } = (await ask("get_inbox", question)) as Looked;
  return async (changed, gone) => {
    while (!gone.aborted) {
      const { messages, latest_seq: latest } = (await ask("get_inbox", {
        ...question,
        changed_after: from,
        wait: LIMITS.wait_s,
      })) as Looked;
      // A board that was reset has smaller seqs.
      if (!gone.aborted && (messages.length > 0 || latest < from)) changed();
      from = latest;
      // A stopping board no longer waits, so there must be a pause between two requests.
      if (messages.length === 0) await setTimeout(PAUSE_MS, undefined, { signal: gone }).catch(() => {});
    }
  };
}

/** The addresses of a subscribe request, in the revision in which it is answered with a stream. */
export function subscribedIn(message: JSONRPCMessage): readonly string[] {
  if (!("method" in message) || message.method !== "subscriptions/listen") return [];
  const { resourceSubscriptions: uris } = (message.params?.["notifications"] ?? {}) as { readonly resourceSubscriptions?: unknown };
  return Array.isArray(uris) ? [...new Set(uris.filter((uri) => typeof uri === "string"))] : [];
}

/** For callers of this board itself; `refused` makes the refusal in the protocol's form. */
export const followed =
  <Visit>(askFor: (visit: Visit, gone: AbortSignal) => Ask, refused: (error: unknown) => Error): Follow<Visit> =>
  async (uris, visit, gone) => {
    const ask = patient(askFor(visit, gone), gone);
    try {
      if (uris.length > MOST) throw new Refusal("invalid_parameter", `You can subscribe to at most ${MOST} addresses at once.`);
      const watches: [string, Watch][] = [];
      for (const uri of uris) watches.push([uri, await watchInbox(uri, ask)]);
      // If one of them fails, for instance because the caller waits for too much, the stream ends.
      return (changed) => Promise.race(watches.map(([uri, watch]) => watch(() => changed(uri), gone))).catch(() => {});
    } catch (error) {
      throw refused(error);
    }
  };

/** After a rate limit it waits as long as the refusal says. */
const patient =
  (ask: Ask, gone: AbortSignal): Ask =>
  async (...asked) => {
    for (;;) {
      try {
        return await ask(...asked);
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== "rate_limited" || gone.aborted) throw error;
        await setTimeout(Number(error.details?.["retry_after_s"] ?? 1) * 1000, undefined, { signal: gone });
      }
    }
  };
