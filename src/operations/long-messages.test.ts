// Views of many messages parse each of them, and one may have half a megabyte.
import { expect, test } from "vitest";
import { ManualClock } from "../../test/support/manual-clock.ts";
import { NOTE, NOW } from "../../test/support/recordable-note.ts";
import { agentNamer } from "../board/read/agent-names.ts";
import { workFinder, type WorkQuestion } from "../board/read/open-work.ts";
import { unreadThreads } from "../board/read/unread-threads.ts";
import { cursorCodec } from "../core/query/cursor.ts";
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
  barredWork: async () => [],
  keysOf: async () => [],
  divided: async () => [],
  head: async () => ({ seq }),
  nextDue: async () => null,
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

const unread = { all: [author], after: 0, upTo: seq, most: 1, now: NOW, late: [] };
const live = { read: async () => [stored], count: async () => 1 };
const fitting = {
  needs: [],
  offers: [],
  tags: [],
  filters: {},
  agent: author,
  sort: "fit",
  limit: 10,
  fingerprint: "",
} as unknown as WorkQuestion;

/** `parts`: how often a view of one message works on it; its flags are one part, and have always been made in slices. */
test.for<[view: string, parts: number, show: () => Promise<unknown>]>([
  ["titles of threads", 1, () => rootTitles(messages, clock)([], [id])],
  ["what happened", 1, () => happeningsOf([stored], async () => new Map())],
  ["names of agents", 1, () => agentNamer({ lists, clock })([author])],
  [
    "the list of agents",
    1,
    () => Promise.resolve(listAgents(directory, async () => []).run({ input: { offers: [], needs: [] } } as never)),
  ],
  ["what is unread", 2, () => unreadThreads(unread, live, messages)],
  ["the work that fits best", 2, () => workFinder(lists, clock, cursorCodec(new Uint8Array(32)))(fitting)],
])(
  "a page of long messages does not hold the board for others: whoever reads %s has it made in slices, and pays",
  async ([, parts, show]) => {
    const slices: number[] = [];
    await atTheCostOf({ lane: "reader", spend: (ms) => void slices.push(ms) }, show);
    expect(slices.length).toBeGreaterThanOrEqual(parts);
  },
);
