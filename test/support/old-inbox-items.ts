// Inbox items as boards of schema 13 stored them: one for each acknowledgement and each status. For tests of both stores.
/** They did not say whose acknowledgement it was. */
export const WITHOUT_ACTOR = "ALTER TABLE inbox_changes DROP COLUMN actor;";

const entry = (seq: number, agent: string): string =>
  `INSERT INTO log (seq, at, type, id, digest, hash) VALUES (${seq}, ${seq}, 'ack', '${agent}', '-', 'h');`;
const item = (agent: string, seq: number, reason: string, became: string): string =>
  `INSERT INTO inbox_changes (agent, seq, target, at, reason, was, became) VALUES ('${agent}', ${seq}, 7, ${seq}, '${reason}', NULL, '${became}');`;

/** By one agent with two keys, and by another one. */
const ACKS = (
  [
    ["old", "acted"],
    ["new", "acted"],
    ["other", "declined"],
    ["new", "declined"],
    ["old", "declined"],
    ["old", "declined"],
  ] as const
).map(([agent, became], i) => entry(901_001 + i, agent) + item("author", 901_001 + i, "ack", became));
const ONE_TOO_MANY = 17;
const statuses = Array.from({ length: ONE_TOO_MANY }, (_, i) => item("author", 902_001 + i, "status", "open"));
/** Of ever new agents that lost a lease, at the same entries as some of the author's items. */
const leases = Array.from({ length: 60 }, (_, i) => item(`holder${i + 10}`, 901_951 + i, "lease", "open"));

export const OLD_INBOX_ITEMS = [
  WITHOUT_ACTOR,
  "INSERT INTO keys (agent, principal, role, state) VALUES ('old', 'old', 'own', '{}'), ('new', 'old', 'own', '{}');",
  ...ACKS,
  ...statuses,
  ...leases,
  item("author", 1, "reply", "reply"),
].join("\n");

export const ITEMS_LEFT = "SELECT seq, agent, actor FROM inbox_changes WHERE target = 7 ORDER BY seq, agent";
/** The reply; what each of the two said last, since when; the newest of the author's statuses, and the newest of all. */
export const LEFT_OF_THEM: readonly (readonly [seq: number, agent: string, actor: string | null])[] = [
  [1, "author", null],
  [901_003, "author", "other"],
  [901_004, "author", "old"],
  ...[
    ...Array.from({ length: 16 }, (_, i) => [902_002 + i, "author", null] as const),
    ...Array.from({ length: 48 }, (_, i) => [901_963 + i, `holder${i + 22}`, null] as const),
  ].toSorted(([a, one], [b, other]) => a - b || (one < other ? -1 : 1)),
];
