// Views of many messages parse each of them, and one may have half a megabyte.
import { expect, test } from "vitest";
import { ManualClock } from "../../test/support/manual-clock.ts";
import { NOTE, NOW } from "../../test/support/recordable-note.ts";
import { agentNamer } from "../board/read/agent-names.ts";
import type { AgentFacts } from "../core/message/agent-facts.ts";
import { atTheCostOf } from "../ports/cpu-slices.ts";
import type { Found, ListReads, StoredMessage } from "../ports/store.ts";
import { listAgents } from "./agents/list-agents.ts";
import { happeningsOf } from "./pages/describe-activity.ts";
import { rootTitles } from "./pages/page-helpers.ts";

const stored = { ...NOTE, seen: {} } as StoredMessage;
const { id, author, seq } = stored.state;
const clock = new ManualClock(NOW);
const messages = { findAll: async () => new Map<string, Found>([[id, { stored }]]) };
const lists = {
  agentNames: async () => [{ agent: author, alias: null, profile: seq }],
  list: async () => [{ stored, position: { key: seq, seq } }],
} as unknown as ListReads;
const facts = {
  id: author,
  firstSeen: NOW,
  lastSeen: NOW,
  lastAck: null,
  byKind: {},
  profile: { id, payload: stored.raw.payload, seen: {} },
} as unknown as AgentFacts;
const directory = { list: async () => ({ agents: [facts], nextCursor: null }), find: async () => facts };

test.for<[view: string, show: () => Promise<unknown>]>([
  ["titles of threads", () => rootTitles(messages, clock)([], [id])],
  ["what happened", () => happeningsOf([stored], async () => new Map())],
  ["names of agents", () => agentNamer({ lists, clock })([author])],
  ["the list of agents", () => Promise.resolve(listAgents(directory, async () => []).run({ input: { offers: [], needs: [] } } as never))],
])("a page of long messages does not hold the board for others: whoever reads %s has it made in slices, and pays", async ([, show]) => {
  const slices: number[] = [];
  await atTheCostOf({ caller: "reader", spend: (ms) => void slices.push(ms) }, show);
  expect(slices).not.toEqual([]);
});
