// Events of entries that name many long messages.
import { expect, test } from "vitest";
import { Agent } from "../../../test/support/agent.ts";
import { ackText } from "../../../test/support/acks.ts";
import { NOTE, NOW } from "../../../test/support/recordable-note.ts";
import type { Entry } from "../../core/log/chain.ts";
import { WordCaches } from "../../core/search/document.ts";
import type { StoredMessage } from "../../ports/store.ts";
import type { LogEventParts } from "./log-event.ts";
import { logEvents } from "./read-log-events.ts";
import { Voters } from "./voters.ts";

const MESSAGES = 64;
/** Longer than others may have to wait. */
const LONG_MS = 5;
const ids = Array.from({ length: MESSAGES }, (_, i) => i.toString(16).padStart(64, "0"));
const agent = new Agent(() => NOW);

/** An acknowledgement of all of them, after the first `turn` of them the others. */
function ackEntry(seq: number, turn = 0): Entry {
  const acted = [...ids.slice(turn), ...ids.slice(0, turn)];
  const detail = JSON.stringify(agent.seal(ackText(`ag_${"0".repeat(20)}`, agent, NOW, { acted }), undefined, 0));
  return { seq, type: "ack", id: agent.id, detail } as Entry;
}

/** `read` is called whenever the text of a message is looked at. */
function world(read: () => void = () => {}) {
  const asked: string[] = [];
  const storedAs = (id: string): StoredMessage => ({
    ...NOTE,
    state: { ...NOTE.state, seq: ids.indexOf(id) + 1, id },
    get seen() {
      read();
      return {};
    },
  });
  const store = {
    findAll: async (some: readonly string[]) => {
      asked.push(...some);
      return new Map(some.map((id) => [id, { stored: storedAs(id) }]));
    },
    ack: async () => undefined,
  } as unknown as LogEventParts["store"];
  const parts: LogEventParts = { store, render: () => "", words: new WordCaches(), voters: new Voters(store) };
  return { asked, parts };
}

test("an acknowledgement of many long messages lets others have their turn", async () => {
  const { parts } = world(() => {
    for (const began = performance.now(); performance.now() - began < LONG_MS;);
  });
  let [turns, done] = [0, false];
  const count = (): void => {
    turns++;
    if (!done) setImmediate(count);
  };
  setImmediate(count);
  const events = await logEvents([ackEntry(1)], parts, NOW, false);
  done = true;
  expect(events[0]?.named).toHaveLength(MESSAGES);
  expect(turns).toBeGreaterThanOrEqual(MESSAGES - 1);
});

test("messages that many acknowledgements name are read once for all of them", async () => {
  let looked = 0;
  const { asked, parts } = world(() => void looked++);
  const entries = Array.from({ length: 32 }, (_, n) => ackEntry(n + 1, n));
  const events = await logEvents(entries, parts, NOW, false);
  expect(events.map(({ named }) => named?.map(({ message }) => message))).toEqual(
    entries.map((_, n) => [...ids.slice(n), ...ids.slice(0, n)].map((id) => ids.indexOf(id) + 1)),
  );
  expect(asked).toEqual(ids);
  expect(looked).toBe(MESSAGES);
});
