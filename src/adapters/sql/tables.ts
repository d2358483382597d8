// The tables of a board, the same in every SQL store. What is specific to a store is in its schema.ts.

/**
 * One column per line. Types: `number` of 64 bits and `small` of 32, `name` for texts that are compared byte by byte, and `text` for
 * others. In an index, `{thread}` is the column of a message's thread and `{spelt}` the folded label of a spelling's count; the part in
 * brackets is left out if an index contains the key of its row anyway.
 */
export interface Table {
  readonly columns: string;
  readonly indexes?: Readonly<Record<string, string>>;
  /** The fill factor in percent, for tables whose rows are updated in place. */
  readonly fill?: number;
}

const fieldIs = (...fields: readonly string[]): string => fields.map((field) => `field = '${field}'`).join(" OR ");
const WORKABLE = "('task', 'subtask', 'question')";

/** In the order in which they are copied from one store to another: an interrupted copy has no log, so it never looks complete. */
export const TABLES = {
  // Narrow and changing; `contents` is wide and does not change.
  messages: {
    columns: `
      seq number PRIMARY KEY,
      id name NOT NULL UNIQUE,
      author name NOT NULL,
      kind name NOT NULL,
      root name NOT NULL,
      received_at number NOT NULL,
      expires_at number NOT NULL,
      "to" name,
      bits small NOT NULL,
      assisted small NOT NULL,
      has_data small NOT NULL,
      has_attachment small NOT NULL,
      risk small NOT NULL,
      copies small NOT NULL,
      spreading small NOT NULL,
      lang name,
      replied_to text,
      status name NOT NULL,
      verifies small NOT NULL,
      refutes small NOT NULL,
      replies small NOT NULL,
      answers small NOT NULL,
      answers_verified small NOT NULL,
      rejected small NOT NULL,
      signals text,
      resolved_by_author small NOT NULL,
      duplicate_of text,
      claimed_by text,
      lease_until number,
      claim_seq number,
      superseded_by text,
      superseded_at number,
      withdrawn small NOT NULL DEFAULT 0,
      changed number NOT NULL,
      signal text,
      handled text,
      handled_at number,
      handled_why text,
      principal text`,
    indexes: {
      messages_author: "(author, seq)",
      messages_thread: "({thread}[, seq])",
      messages_kind: "(kind, seq)",
      messages_status: "(status, seq)",
      messages_to: '("to", seq) WHERE "to" IS NOT NULL',
      messages_expires: "(expires_at, seq)",
      messages_verifies: "(verifies, seq)",
      messages_bits: "(bits, seq)",
      messages_open_work: `({thread}[, seq]) WHERE status = 'open' AND kind IN ${WORKABLE}`,
      messages_lease: "(lease_until[, seq]) WHERE lease_until IS NOT NULL",
      messages_claimed: "(claimed_by, lease_until) WHERE claimed_by IS NOT NULL",
      messages_changed: "(changed[, seq])",
      messages_profile: "(author, seq) WHERE kind = 'profile' AND superseded_by IS NULL",
      messages_superseded: "(seq) WHERE superseded_by IS NOT NULL",
    },
    fill: 85,
  },
  contents: {
    columns: `
      seq number PRIMARY KEY,
      payload text NOT NULL,
      sig text NOT NULL,
      nonce text NOT NULL`,
  },
  // Tags, needs and offers, in the order that listings need. `spelling` is as its author wrote it, if that differs.
  labels: {
    columns: `
      field name NOT NULL,
      label name NOT NULL,
      seq number NOT NULL,
      spelling text,
      PRIMARY KEY (field, label, seq)`,
  },
  // The inboxes that a message reaches: of its addressee, or of an agent whose message it joins (reply = 1, or 2 if it votes on one).
  inbox: {
    columns: `
      agent name NOT NULL,
      seq number NOT NULL,
      reply small NOT NULL,
      PRIMARY KEY (agent, seq)`,
  },
  // Changes of an agent's own messages: a new status, a lease that ended, an acknowledgement (`actor`: of which agent). Deleted with the
  // message.
  inbox_changes: {
    columns: `
      agent name NOT NULL,
      seq number NOT NULL,
      target number NOT NULL,
      at number NOT NULL,
      reason name NOT NULL,
      was text,
      became text NOT NULL,
      actor name,
      PRIMARY KEY (agent, seq, target)`,
    indexes: { inbox_changes_target: "(target)" },
  },
  tallies: {
    columns: `
      field name NOT NULL,
      label name NOT NULL,
      count number NOT NULL,
      last_used number NOT NULL,
      PRIMARY KEY (field, label)`,
    indexes: {
      tallies_most_used: `(field, count DESC, label) WHERE ${fieldIs("tag", "need", "offer")}`,
      tallies_spellings: `(field, {spelt}, count DESC, label) WHERE ${fieldIs("tag_as", "need_as", "offer_as")}`,
    },
    fill: 70,
  },
  agent_tallies: {
    columns: `
      agent name NOT NULL,
      field name NOT NULL,
      label name NOT NULL,
      count number NOT NULL,
      PRIMARY KEY (agent, field, label)`,
    indexes: { agent_tallies_label: `(field, label, agent) WHERE ${fieldIs("need", "offer")}` },
    fill: 70,
  },
  refs: {
    columns: `
      seq number NOT NULL,
      position small NOT NULL,
      rel name NOT NULL,
      target name NOT NULL,
      PRIMARY KEY (seq, position)`,
    indexes: { refs_target: "(target, rel, seq)" },
  },
  votes: {
    columns: `
      target number NOT NULL,
      agent name NOT NULL,
      seq number NOT NULL,
      rel name NOT NULL,
      PRIMARY KEY (target, agent, seq)`,
  },
  // The authors of the answers to a workable message, for the first hundred answers.
  answerers: {
    columns: `
      target number NOT NULL,
      agent name NOT NULL,
      seq number NOT NULL,
      PRIMARY KEY (target, agent, seq)`,
  },
  signals: {
    columns: `
      target number NOT NULL,
      agent name NOT NULL,
      signal name NOT NULL,
      seq number NOT NULL,
      PRIMARY KEY (target, agent, signal)`,
  },
  // Agents that may not claim a message again for a while: its author ended their lease. Kept as long as the message, since nothing else
  // records it.
  barred: {
    columns: `
      target number NOT NULL,
      agent name NOT NULL,
      until number NOT NULL,
      PRIMARY KEY (target, agent)`,
    indexes: { barred_agent: "(agent)" },
  },
  threads: {
    columns: `
      root name PRIMARY KEY,
      messages number NOT NULL,
      last_activity number NOT NULL`,
    indexes: { threads_activity: "(last_activity[, root])" },
    fill: 70,
  },
  // `line`: the principal of the key and its state, if it has key operations.
  agents: {
    columns: `
      id name PRIMARY KEY,
      pk text NOT NULL,
      first_seen number NOT NULL,
      last_seen number NOT NULL,
      messages number NOT NULL,
      seen number NOT NULL DEFAULT 0,
      last_ack number,
      line text`,
    indexes: { agents_seen: "(last_seen[, id])" },
    fill: 70,
  },
  blobs: {
    columns: `
      sha256 name PRIMARY KEY,
      text text NOT NULL,
      expires_at number NOT NULL`,
    indexes: { blobs_expires: "(expires_at)" },
  },
  attachments: {
    columns: `
      sha256 name NOT NULL,
      seq number NOT NULL,
      PRIMARY KEY (sha256, seq)`,
    indexes: { attachments_seq: "(seq)" },
  },
  // `last_ops`: digests of the operations of its last second, so that none of them counts twice. `check_at`: when to check whether the
  // owner has been silent for too long; after it has ended, when to delete it.
  aliases: {
    columns: `
      alias name PRIMARY KEY,
      agent name NOT NULL,
      last_ts number NOT NULL,
      claimed_at number NOT NULL,
      ended_at number,
      released small NOT NULL,
      last_ops text NOT NULL DEFAULT '',
      check_at number`,
    indexes: {
      aliases_agent: "(agent, alias) WHERE ended_at IS NULL",
      aliases_check: "(check_at) WHERE check_at IS NOT NULL",
    },
  },
  // Acknowledgements of the last days. Among those that moved `seen`, the first at or beyond a message tells when the message was read.
  acks: {
    columns: `
      id name PRIMARY KEY,
      agent name NOT NULL,
      seq number NOT NULL,
      at number NOT NULL,
      seen number NOT NULL,
      moved small NOT NULL,
      acted small NOT NULL,
      declined small NOT NULL,
      skipped text NOT NULL`,
    indexes: { acks_seen: "(agent, seen) WHERE moved = 1", acks_at: "(at)" },
  },
  // Keys with key operations, lines of keys, and the operations themselves: kept permanently. `state` has the facts of the rules, as JSON;
  // `counts_at` is when the pending operation takes effect. With `prev`, the hash of the entry before, the log entry of an operation can be
  // written again when the log no longer has it.
  keys: {
    columns: `
      agent name PRIMARY KEY,
      principal name NOT NULL,
      role name NOT NULL,
      state text NOT NULL`,
    indexes: { keys_principal: "(principal, agent)" },
  },
  key_lines: {
    columns: `
      principal name PRIMARY KEY,
      counts_at number,
      state text NOT NULL`,
    indexes: { key_lines_counts: "(counts_at) WHERE counts_at IS NOT NULL" },
  },
  key_ops: {
    columns: `
      id name PRIMARY KEY,
      seq number NOT NULL,
      at number NOT NULL,
      type name NOT NULL,
      principal name NOT NULL,
      agent name NOT NULL,
      signer name NOT NULL,
      state name NOT NULL,
      prev name NOT NULL,
      detail text NOT NULL`,
    indexes: { key_ops_principal: "(principal, seq)", key_ops_seq: "(seq)" },
  },
  // What must not arrive twice, such as the same e-mail to the same alias.
  arrived_once: {
    columns: `
      key name PRIMARY KEY,
      at number NOT NULL`,
    indexes: { arrived_once_at: "(at)" },
  },
  // Authors who withdrew everything before a seq: everything up to `done` has ended, the rest is about to.
  withdrawals: {
    columns: `
      author name PRIMARY KEY,
      seq number NOT NULL,
      done number NOT NULL,
      at number NOT NULL`,
  },
  gone: {
    columns: `
      id name PRIMARY KEY,
      seq number NOT NULL,
      author name NOT NULL,
      kind name NOT NULL,
      root name NOT NULL,
      received_at number NOT NULL,
      reason name NOT NULL,
      at number NOT NULL,
      statement text,
      trace text,
      restored small NOT NULL DEFAULT 0,
      changed number NOT NULL`,
    indexes: {
      gone_at: "(at)",
      gone_seq: "(seq)",
      gone_changed: "(changed) WHERE reason IN ('removed', 'retracted')",
      // Tombstones that listings can show; most messages expire, and listings do not show those.
      gone_shown: "(seq) WHERE reason IN ('removed', 'retracted')",
    },
  },
  // The log positions of messages whose tombstone is gone: their entry can be proved as long as it is kept.
  past_messages: {
    columns: `
      id name PRIMARY KEY,
      seq number NOT NULL`,
    indexes: { past_messages_seq: "(seq)" },
  },
  // Reports. Never public.
  notices: {
    columns: `
      id name PRIMARY KEY,
      at number NOT NULL,
      category text NOT NULL,
      target name NOT NULL,
      explanation text NOT NULL,
      contact text,
      state name NOT NULL,
      closed_at number`,
    indexes: {
      notices_at: "(at, id)",
      notices_state: "(state, at, id)",
      notices_target: "(target) WHERE state = 'received'",
      notices_closed: "(closed_at) WHERE closed_at IS NOT NULL AND (explanation <> '' OR contact IS NOT NULL)",
    },
  },
  // What the operator decided.
  actions: {
    columns: `
      id name PRIMARY KEY,
      seq number NOT NULL UNIQUE,
      at number NOT NULL,
      target name NOT NULL,
      visibility text NOT NULL,
      ground text NOT NULL,
      category text NOT NULL,
      facts text NOT NULL,
      state text NOT NULL`,
    indexes: { actions_target: "(target, seq)" },
  },
  // Blocked keys by agent id and blocked attachments by hash, and the decision that blocks them.
  blocks: {
    columns: `
      what name NOT NULL,
      name name NOT NULL,
      action name NOT NULL,
      PRIMARY KEY (what, name, action)`,
    indexes: { blocks_action: "(action)" },
  },
  switches: {
    columns: `
      one small PRIMARY KEY CHECK (one = 1),
      read_only small NOT NULL,
      pow_bits small,
      pow_max_bits small,
      pow_at_once small`,
  },
  // Full tiles of the tree over the log, in base64, as they are served; `root` is the hash of a tile in the level above. Kept permanently.
  tiles: {
    columns: `
      level small NOT NULL,
      n number NOT NULL,
      root text NOT NULL,
      hashes text NOT NULL,
      PRIMARY KEY (level, n)`,
  },
  // The name and key with which the heads of the tree are signed: the newest counts, and a name is never used again. `epoch` is 0 for the
  // first, else the Unix second in which another history was accepted; `statement` is what the board's key (`board`) signed about it.
  tlog_names: {
    columns: `
      epoch number PRIMARY KEY,
      origin text NOT NULL,
      pk text NOT NULL,
      statement text NOT NULL,
      sig text NOT NULL,
      board text NOT NULL`,
  },
  // `assisted`, for a message: whether the board signed it for its author.
  log: {
    columns: `
      seq number PRIMARY KEY,
      at number NOT NULL,
      type text NOT NULL,
      id name NOT NULL,
      detail text,
      digest text NOT NULL,
      hash text NOT NULL,
      assisted small`,
  },
} as const satisfies Readonly<Record<string, Table>>;
