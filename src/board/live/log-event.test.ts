// Events of entries that name many long messages.
import { expect, test } from "vitest";
import { Agent } from "../../../test/support/agent.ts";
import { ackText } from "../../../test/support/acks.ts";
import { NOTE, NOW } from "../../../test/support/recordable-note.ts";
import type { Entry } from "../../core/log/chain.ts";
import { WordCaches } from "../../core/search/document.ts";
import type { StoredMessage } from "../../ports/store.ts";
import { logEvents, type LogEventParts } from "./log-event.ts";

const MESSAGES = 64;
const payload = JSON.stringify({ v: 1, pk: "", ts: NOW / 1000, kind: "note", title: "long", body: "x".repeat(200_000) });
const ids = Array.from({ length: MESSAGES }, (_, i) => i.toString(16).padStart(64, "0"));
const storedAs = (id: string): StoredMessage => ({ ...NOTE, state: { ...NOTE.state, id }, raw: { ...NOTE.raw, payload }, seen: {} });
const parts = {
  store: {
    findAll: async (asked: readonly string[]) => new Map(asked.map((id) => [id, { stored: storedAs(id) }])),
    ack: async () => undefined,
  },
  words: new WordCaches(),
} as unknown as LogEventParts;

test("an acknowledgement of many long messages lets others have their turn", async () => {
  const agent = new Agent(() => NOW);
  const detail = JSON.stringify(agent.seal(ackText(`ag_${"0".repeat(20)}`, agent, NOW, { acted: ids }), undefined, 0));
  const entry = { seq: 1, type: "ack", id: agent.id, detail } as Entry;
  let [turns, done] = [0, false];
  const count = (): void => {
    turns++;
    if (!done) setImmediate(count);
  };
  setImmediate(count);
  const events = await logEvents([entry], parts, NOW, false);
  done = true;
  expect(events[0]?.named).toHaveLength(MESSAGES);
  // Two or three of them are read in one turn.
  expect(turns).toBeGreaterThan(MESSAGES / 4);
});
