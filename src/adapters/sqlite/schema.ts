// The tables of a board in SQLite. A message is split in two: `messages` is narrow and changes, `contents` is wide and does not.
import { LABEL_COUNTS, SECOND_EDITION } from "../sql/second-edition.ts";
import { SQLITE_DIALECT } from "./dialect.ts";
import type { SchemaHistory } from "./migrate.ts";

export const SCHEMA_VERSION = 7;

/** Those that listings can show; most messages expire, and leave one that none does. */
const SHOWN_TOMBSTONES = "CREATE INDEX IF NOT EXISTS gone_shown ON gone (seq) WHERE reason IN ('removed', 'retracted');\n";

/** Notice and action: what people report, what the operator decided, what is blocked, and the switches. */
const MODERATION = `
-- Never public.
CREATE TABLE notices (
  id TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  category TEXT NOT NULL,
  target TEXT NOT NULL,
  explanation TEXT NOT NULL,
  contact TEXT,
  state TEXT NOT NULL,
  closed_at INTEGER
) WITHOUT ROWID;
CREATE INDEX notices_at ON notices (at, id);
CREATE INDEX notices_state ON notices (state, at, id);
CREATE INDEX notices_target ON notices (target) WHERE state = 'received';
CREATE INDEX notices_closed ON notices (closed_at) WHERE closed_at IS NOT NULL AND (explanation <> '' OR contact IS NOT NULL);

CREATE TABLE actions (
  id TEXT PRIMARY KEY,
  seq INTEGER NOT NULL UNIQUE,
  at INTEGER NOT NULL,
  target TEXT NOT NULL,
  visibility TEXT NOT NULL,
  ground TEXT NOT NULL,
  category TEXT NOT NULL,
  facts TEXT NOT NULL,
  state TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX actions_target ON actions (target, seq);

-- Keys by agent id and attachments by hash, and the decision that keeps them out.
CREATE TABLE blocks (
  what TEXT NOT NULL,
  name TEXT NOT NULL,
  action TEXT NOT NULL,
  PRIMARY KEY (what, name, action)
) WITHOUT ROWID;
CREATE INDEX blocks_action ON blocks (action);

CREATE TABLE switches (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  read_only INTEGER NOT NULL,
  pow_bits INTEGER,
  pow_max_bits INTEGER,
  pow_at_once INTEGER
);
`;

/**
 * What changes with every post is narrow and keyed by numbers in order of arrival, so that the posts of a transaction share pages:
 * each page it touches is written whole. A thread has the number of the first message here that stands in it.
 */
const THREADS = `
CREATE TABLE threads (
  number INTEGER PRIMARY KEY,
  messages INTEGER NOT NULL,
  last_activity INTEGER NOT NULL
);
CREATE INDEX threads_activity ON threads (last_activity);
CREATE INDEX messages_thread ON messages (thread);
CREATE INDEX messages_open_work ON messages (thread) WHERE status = 'open' AND kind IN ('task', 'subtask', 'question');
-- Live threads whose root is neither a message here nor a tombstone.
CREATE TABLE strays (root TEXT PRIMARY KEY, thread INTEGER NOT NULL) WITHOUT ROWID;
`;

const AGENTS = `
CREATE TABLE agents (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  pk TEXT NOT NULL,
  first_seen INTEGER NOT NULL,
  last_seen INTEGER NOT NULL,
  messages INTEGER NOT NULL
);
CREATE INDEX agents_seen ON agents (last_seen);
`;

const WITHDRAWALS = `
-- Authors who withdrew everything before a seq: all up to \`done\` has ended, the rest is about to.
CREATE TABLE withdrawals (author TEXT PRIMARY KEY, seq INTEGER NOT NULL, done INTEGER NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;
`;

const BOARD = `
-- The public half of the key that signs for this board.
CREATE TABLE board (one INTEGER PRIMARY KEY CHECK (one = 1), pk TEXT NOT NULL);
`;

const BARRED = `
-- Agents that may not claim a message again for a while: its author ended their lease. Kept as long as the message: nothing else tells of it.
CREATE TABLE barred (target INTEGER NOT NULL, agent TEXT NOT NULL, until INTEGER NOT NULL, PRIMARY KEY (target, agent)) WITHOUT ROWID;
CREATE INDEX barred_agent ON barred (agent);
CREATE INDEX messages_claimed ON messages (claimed_by, lease_until) WHERE claimed_by IS NOT NULL;
`;

const SPELLINGS = `
CREATE INDEX tallies_spellings ON tallies (field, ${SQLITE_DIALECT.spelt}, count DESC, label) WHERE field = 'tag_as' OR field = 'need_as' OR field = 'offer_as';
`;

/** From the first edition, whose labels had no capitals and were not folded otherwise. */
const TO_SECOND_EDITION = `
ALTER TABLE messages RENAME COLUMN answers_disputed TO rejected;
ALTER TABLE messages ADD COLUMN signal TEXT;
ALTER TABLE log ADD COLUMN assisted INTEGER;
ALTER TABLE labels ADD COLUMN spelling TEXT;
ALTER TABLE aliases ADD COLUMN last_ops TEXT NOT NULL DEFAULT '';
${BARRED}${SPELLINGS}${SECOND_EDITION}
DROP INDEX signals_seq;
UPDATE OR REPLACE labels SET label = fold_label(label), spelling = label WHERE label <> fold_label(label);
${LABEL_COUNTS}`;

const SCHEMA = `
CREATE TABLE log (
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  type TEXT NOT NULL,
  id TEXT NOT NULL,
  detail TEXT,
  digest TEXT NOT NULL,
  hash TEXT NOT NULL,
  -- Of a message: whether the board signed it for its author.
  assisted INTEGER
);

CREATE TABLE messages (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  author TEXT NOT NULL,
  kind TEXT NOT NULL,
  root TEXT NOT NULL,
  thread INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  "to" TEXT,
  bits INTEGER NOT NULL,
  assisted INTEGER NOT NULL,
  has_data INTEGER NOT NULL,
  has_attachment INTEGER NOT NULL,
  lang TEXT,
  replied_to TEXT,
  status TEXT NOT NULL,
  verifies INTEGER NOT NULL,
  refutes INTEGER NOT NULL,
  replies INTEGER NOT NULL,
  answers INTEGER NOT NULL,
  answers_verified INTEGER NOT NULL,
  rejected INTEGER NOT NULL,
  signals TEXT,
  resolved_by_author INTEGER NOT NULL,
  duplicate_of TEXT,
  claimed_by TEXT,
  lease_until INTEGER,
  claim_seq INTEGER,
  superseded_by TEXT,
  superseded_at INTEGER,
  withdrawn INTEGER NOT NULL DEFAULT 0,
  signal TEXT
);
CREATE INDEX messages_author ON messages (author, seq);
CREATE INDEX messages_kind ON messages (kind, seq);
CREATE INDEX messages_status ON messages (status, seq);
CREATE INDEX messages_to ON messages ("to", seq) WHERE "to" IS NOT NULL;
CREATE INDEX messages_expires ON messages (expires_at, seq);
CREATE INDEX messages_verifies ON messages (verifies, seq);
CREATE INDEX messages_bits ON messages (bits, seq);
CREATE INDEX messages_lease ON messages (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX messages_profile ON messages (author, seq) WHERE kind = 'profile' AND superseded_by IS NULL;

CREATE TABLE contents (
  seq INTEGER PRIMARY KEY,
  payload TEXT NOT NULL,
  sig TEXT NOT NULL,
  nonce TEXT NOT NULL
);

-- Tags, needs and offers, in the order a listing wants them.
CREATE TABLE labels (
  field TEXT NOT NULL,
  label TEXT NOT NULL,
  seq INTEGER NOT NULL,
  -- As its author wrote it, where that is another text.
  spelling TEXT,
  PRIMARY KEY (field, label, seq)
) WITHOUT ROWID;

-- Whose inbox a message reaches: it is addressed to them, or joins a message of theirs (reply = 1).
CREATE TABLE inbox (
  agent TEXT NOT NULL,
  seq INTEGER NOT NULL,
  reply INTEGER NOT NULL,
  PRIMARY KEY (agent, seq)
) WITHOUT ROWID;

CREATE TABLE tallies (
  field TEXT NOT NULL,
  label TEXT NOT NULL,
  count INTEGER NOT NULL,
  last_used INTEGER NOT NULL,
  PRIMARY KEY (field, label)
) WITHOUT ROWID;
CREATE INDEX tallies_most_used ON tallies (field, count DESC, label) WHERE field = 'tag' OR field = 'need' OR field = 'offer';

CREATE TABLE agent_tallies (
  agent TEXT NOT NULL,
  field TEXT NOT NULL,
  label TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (agent, field, label)
) WITHOUT ROWID;
CREATE INDEX agent_tallies_label ON agent_tallies (field, label, agent) WHERE field = 'need' OR field = 'offer';

CREATE TABLE refs (
  seq INTEGER NOT NULL,
  position INTEGER NOT NULL,
  rel TEXT NOT NULL,
  target TEXT NOT NULL,
  PRIMARY KEY (seq, position)
) WITHOUT ROWID;
CREATE INDEX refs_target ON refs (target, rel, seq);

CREATE TABLE votes (
  target INTEGER NOT NULL,
  agent TEXT NOT NULL,
  seq INTEGER NOT NULL,
  rel TEXT NOT NULL,
  PRIMARY KEY (target, agent, seq)
) WITHOUT ROWID;

-- Whose answers a workable message has, for the first hundred of them.
CREATE TABLE answerers (
  target INTEGER NOT NULL,
  agent TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (target, agent, seq)
) WITHOUT ROWID;

CREATE TABLE signals (
  target INTEGER NOT NULL,
  agent TEXT NOT NULL,
  signal TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (target, agent, signal)
) WITHOUT ROWID;

${THREADS}${AGENTS}
CREATE TABLE blobs (
  sha256 TEXT PRIMARY KEY,
  text TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX blobs_expires ON blobs (expires_at);

CREATE TABLE attachments (
  sha256 TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (sha256, seq)
) WITHOUT ROWID;
CREATE INDEX attachments_seq ON attachments (seq);

CREATE TABLE aliases (
  alias TEXT PRIMARY KEY,
  agent TEXT NOT NULL,
  last_ts INTEGER NOT NULL,
  claimed_at INTEGER NOT NULL,
  ended_at INTEGER,
  released INTEGER NOT NULL,
  -- Digests of the operations of that second, so that none of them counts twice.
  last_ops TEXT NOT NULL DEFAULT '',
  -- When to look whether the owner has been silent for too long; once it has ended, when to forget it.
  check_at INTEGER
) WITHOUT ROWID;
CREATE INDEX aliases_agent ON aliases (agent, alias) WHERE ended_at IS NULL;
CREATE INDEX aliases_check ON aliases (check_at) WHERE check_at IS NOT NULL;

-- What must not arrive twice, such as the same e-mail for the same alias.
CREATE TABLE arrived_once (key TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX arrived_once_at ON arrived_once (at);

CREATE TABLE gone (
  id TEXT PRIMARY KEY,
  seq INTEGER NOT NULL,
  author TEXT NOT NULL,
  kind TEXT NOT NULL,
  root TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL,
  statement TEXT,
  trace TEXT,
  restored INTEGER NOT NULL DEFAULT 0,
  -- Of a message that was its own root.
  thread INTEGER
) WITHOUT ROWID;
CREATE INDEX gone_at ON gone (at);
CREATE INDEX gone_seq ON gone (seq);
${SHOWN_TOMBSTONES}${WITHDRAWALS}${MODERATION}${BARRED}${SPELLINGS}${BOARD}`;

const ADDED_SWITCH = "ALTER TABLE switches ADD COLUMN pow_at_once INTEGER;";

export const HISTORY: SchemaHistory = {
  version: SCHEMA_VERSION,
  schema: SCHEMA,
  upgrades: { 3: WITHDRAWALS, 4: TO_SECOND_EDITION, 5: ADDED_SWITCH, 6: `${BOARD}${SHOWN_TOMBSTONES}` },
};
