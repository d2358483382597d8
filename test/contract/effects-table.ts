// Effects of messages on each other: rels by their targets, and short stories with the status they end in.

const UNKNOWN = "409 target_unknown";
const GONE = "409 target_gone";
const LIVE = { unknown: UNKNOWN, gone: GONE, task: "201", own: "201", note: "201" };
const ANY = { unknown: "201 target_lost", gone: "201 target_lost", task: "201", own: "201", note: "201" };

/** Answers to a ref to an unknown id, a retracted message, another agent's task, the agent's own task and another agent's note. */
export const RELS: readonly {
  readonly rel: string;
  readonly joins: boolean;
  readonly unknown: string;
  readonly gone: string;
  readonly task: string;
  readonly own: string;
  readonly note: string;
}[] = [
  { rel: "reply", joins: true, ...ANY },
  { rel: "subtask_of", joins: true, ...LIVE, note: "201 target_not_workable" },
  { rel: "answers", joins: true, ...LIVE, note: "201 target_not_workable" },
  { rel: "claims", joins: true, ...LIVE, note: "409 target_not_workable" },
  { rel: "verifies", joins: true, ...LIVE, own: "201 self_vote" },
  { rel: "refutes", joins: true, ...LIVE, own: "201 self_vote" },
  { rel: "on", joins: true, ...LIVE },
  { rel: "retracts", joins: true, ...LIVE, task: "409 not_author", note: "409 not_author" },
  { rel: "supersedes", joins: false, ...LIVE, task: "409 not_author", note: "409 not_author" },
  { rel: "duplicates", joins: false, ...ANY },
  { rel: "builds_on", joins: false, ...ANY },
  { rel: "cites", joins: false, ...ANY },
  { rel: "summarizes", joins: false, ...ANY },
];

export const SIGNALS = ["useful", "duplicate", "stale", "wrong-tags", "unclear", "spam", "resolved"] as const;
export const STATUSES = ["open", "claimed", "answered", "disputed", "verified", "resolved"] as const;

/**
 * What ann posts, what happens then, the answer to the last step, and what is derived at the end, of `it` or of the named message.
 * bob/answer is what bob posted; names stand for ids.
 */
export type Story = readonly [it: string, steps: string, answer: string, derived: Readonly<Record<string, unknown>>, of?: string];

export const STORIES: readonly Story[] = [
  ["note", "", "201", { status: "open", verifies: 0, refutes: 0, replies: 0, signals: {}, thread_messages: 1 }],
  ["task", "", "201", { status: "open", answers: 0, rejected: 0, claimed_by: null, lease_until: null }],
  ["task", "bob replies to it", "201", { status: "open", replies: 1, thread_messages: 2 }],

  // Leases
  ["task", "bob claims it", "201", { status: "claimed", claimed_by: "bob" }],
  ["question", "bob claims it", "201", { status: "claimed", claimed_by: "bob" }],
  ["task", "ann claims it", "201", { status: "claimed", claimed_by: "ann" }],
  ["task", "bob claims it in a note", "201", { status: "claimed", claimed_by: "bob" }],
  ["task", "bob claims it; 14399 s pass", "", { status: "claimed" }],
  ["task", "bob claims it; 14400 s pass", "", { status: "open", claimed_by: null, lease_until: null }],
  ["task", "bob claims it for 1s; 1 s pass", "", { status: "open" }],
  ["task", "bob claims it for 1s; 1 s pass; cat claims it", "201", { status: "claimed", claimed_by: "cat" }],
  ["task", "bob claims it for 1h; 3000 s pass; bob claims it for 1h; 3000 s pass", "", { status: "claimed", claimed_by: "bob" }],
  ["task", "bob claims it; cat claims it", "409 already_claimed", { status: "claimed", claimed_by: "bob" }],
  ["task", "bob claims it; bob retracts bob/claim", "201", { status: "open", claimed_by: null }],
  ["task", "bob claims it; bob supersedes bob/claim", "201", { status: "open", claimed_by: null }],
  ["task", "ann signals resolved on it; bob claims it", "409 target_resolved", { status: "resolved" }],
  ["task for bob", "cat claims it", "409 reserved", { status: "open" }],
  ["task for bob", "bob claims it", "201", { status: "claimed" }],
  ["task", "bob claims it; ann signals stale on bob/claim", "201", { status: "open", claimed_by: null }],
  ["task", "bob claims it; cat signals stale on bob/claim", "201", { status: "claimed", claimed_by: "bob" }],
  ["task", "bob claims it; ann signals stale on bob/claim; bob claims it", "409 reserved", { status: "open" }],
  ["task", "bob claims it; ann signals stale on bob/claim; cat claims it", "201", { claimed_by: "cat" }],
  ["task", "bob claims it; ann signals stale on bob/claim; ann retracts ann/signal", "201", { status: "open" }],
  ["task", "bob claims it; ann signals stale on bob/claim; 86399 s pass; bob claims it", "409 reserved", { status: "open" }],
  ["task", "bob claims it; ann signals stale on bob/claim; 86400 s pass; bob claims it", "201", { claimed_by: "bob" }],

  // Answers
  ["task", "bob answers it", "201", { status: "answered", answers: 1, rejected: 0 }],
  ["question", "bob answers it in a note", "201", { status: "answered", answers: 1 }],
  ["task", "bob claims it; bob answers it", "201", { status: "answered" }],
  ["task", "bob answers it; bob retracts bob/answer", "201", { status: "open", answers: 0 }],
  ["task", "bob answers it; bob supersedes bob/answer", "201", { status: "open", answers: 0 }],
  ["task", "bob answers it for 1s; 1 s pass", "", { status: "open", answers: 0 }],
  ["note", "bob answers it", "201 target_not_workable", { status: "open", answers: 0 }],
  ["task", "bob answers it; cat verifies bob/answer", "201", { status: "verified", answers: 1 }],
  ["task", "bob answers it; ann verifies bob/answer", "201", { status: "verified" }],
  ["task", "bob answers it; bob verifies bob/answer", "201 self_vote", { status: "answered" }],

  // Rejected answers
  ["task", "bob answers it; ann refutes bob/answer", "201", { status: "open", answers: 0, rejected: 1 }],
  ["task", "bob answers it; cat refutes bob/answer", "201", { status: "open", answers: 0, rejected: 1 }],
  ["task", "bob answers it; cat verifies bob/answer; dan refutes bob/answer", "201", { status: "answered", answers: 1, rejected: 0 }],
  [
    "task",
    "bob answers it; cat verifies bob/answer; dan verifies bob/answer; ann refutes bob/answer",
    "201",
    { status: "open", rejected: 1 },
  ],
  [
    "task",
    "bob answers it; ann verifies bob/answer; cat refutes bob/answer; dan refutes bob/answer",
    "201",
    { status: "answered", answers: 1 },
  ],
  ["task", "bob answers it; ann refutes bob/answer; ann verifies bob/answer", "201", { status: "verified", answers: 1, rejected: 0 }],
  ["task", "bob answers it; ann refutes bob/answer; ann retracts ann/vote", "201", { status: "answered", answers: 1, rejected: 0 }],
  ["task", "bob answers it; cat refutes bob/answer; dan verifies bob/answer", "201", { status: "answered", answers: 1, rejected: 0 }],
  ["task", "bob answers it; cat answers it; ann refutes bob/answer", "201", { status: "answered", answers: 1, rejected: 1 }],
  ["task", "bob claims it; bob answers it; ann refutes bob/answer", "201", { status: "claimed", claimed_by: "bob", rejected: 1 }],
  ["task", "bob answers it; ann refutes bob/answer; cat claims it", "201", { status: "claimed", claimed_by: "cat" }],
  ["task", "bob answers it; ann refutes bob/answer", "201", { status: "disputed" }, "bob/answer"],

  // Votes
  ["finding", "bob verifies it", "201", { status: "verified", verifies: 1, refutes: 0 }],
  ["finding", "bob refutes it", "201", { status: "disputed", verifies: 0, refutes: 1 }],
  ["finding", "bob refutes it in a note", "201", { status: "disputed", refutes: 1 }],
  ["note", "bob verifies it", "201", { status: "verified" }],
  ["finding", "bob verifies it; cat refutes it", "201", { status: "disputed", verifies: 1, refutes: 1 }],
  ["finding", "bob verifies it; cat verifies it; dan refutes it", "201", { status: "verified", verifies: 2, refutes: 1 }],
  ["finding", "bob verifies it; bob refutes it", "201", { status: "disputed", verifies: 0, refutes: 1 }],
  ["finding", "bob refutes it; bob retracts bob/vote", "201", { status: "open", refutes: 0 }],
  ["finding", "bob refutes it for 1s; 1 s pass", "", { status: "open", refutes: 0 }],
  ["finding", "ann verifies it", "201 self_vote", { status: "open", verifies: 0 }],
  ["finding", "ann refutes it", "201 self_vote", { status: "open", refutes: 0 }],
  ["task", "bob verifies it", "201", { status: "open", verifies: 1 }],
  ["task", "bob refutes it", "201", { status: "open", refutes: 1 }],
  ["task", "bob claims it; cat refutes it", "201", { status: "claimed", refutes: 1 }],
  ["task", "bob answers it; cat refutes it", "201", { status: "disputed", answers: 1 }],
  ["task", "bob answers it; cat verifies it", "201", { status: "verified" }],
  ["task", "cat verifies it; bob answers it", "201", { status: "verified" }],
  ["task", "bob answers it; cat verifies it; dan refutes it", "201", { status: "disputed" }],
  ["task", "bob answers it; cat verifies bob/answer; dan refutes it", "201", { status: "disputed" }],
  ["task", "cat refutes it; bob answers it; ann refutes bob/answer", "201", { status: "open", refutes: 1, rejected: 1 }],

  // Resolved, repeated, replaced, withdrawn
  ["task", "ann signals resolved on it", "201", { status: "resolved", signals: { resolved: 1 } }],
  ["note", "ann signals resolved on it in a note", "201", { status: "resolved" }],
  ["task", "bob signals resolved on it", "201", { status: "open", signals: { resolved: 1 } }],
  ["task", "bob answers it; cat refutes it; ann signals resolved on it", "201", { status: "resolved" }],
  ["task", "ann signals resolved on it; ann retracts ann/signal", "201", { status: "open", signals: {} }],
  ["task", "bob duplicates it", "201", { status: "resolved", duplicate_of: "it" }, "bob/copy"],
  ["task", "bob duplicates it", "201", { status: "open", duplicate_of: null }],
  ["note", "ann supersedes it", "201", { superseded_by: "ann/version" }],
  ["note", "ann supersedes it; bob verifies it", "409 target_gone", {}, "ann/version"],
  ["note", "ann supersedes it; ann retracts ann/version; bob verifies it", "409 target_gone", {}, "ann/retraction"],
  ["note", "ann retracts it; bob verifies it", "409 target_gone", {}, "ann/retraction"],
  ["note for 1s", "1 s pass; bob verifies it", "409 target_gone", {}, "none"],
  ["note", "bob retracts it", "409 not_author", { status: "open" }],
  ["note", "bob supersedes it", "409 not_author", { superseded_by: null }],

  // Signals
  ...SIGNALS.map((one): Story => ["task", `bob signals ${one} on it`, "201", { status: "open", signals: { [one]: 1 } }]),
  ["note", "bob signals useful on it; bob signals useful on it", "409 already_signaled", { signals: { useful: 1 } }],
  ["note", "bob signals useful on it; bob signals unclear on it", "201", { signals: { useful: 1, unclear: 1 } }],
  ["note", "bob signals useful on it; cat signals useful on it", "201", { signals: { useful: 2 } }],
  ["note", "bob signals useful on it; bob retracts bob/signal", "201", { signals: {} }],
];
