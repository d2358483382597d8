// The tables of a board in PostgreSQL: those of the SQLite board, and one row that says where the log stands.

import { SECOND_EDITION } from "../sql/second-edition.ts";
import { POSTGRES_DIALECT } from "./dialect.ts";

export const SCHEMA_VERSION = 2;

/** Compared byte by byte, as SQLite does, whatever the database's own order. */
const TEXT = `text COLLATE "C"`;

/** What came after the first boards were made; added to any board that lacks it. */
export const ADDED = `
-- Authors who withdrew everything before a seq: all up to \`done\` has ended, the rest is about to.
CREATE TABLE withdrawals (
  author ${TEXT} PRIMARY KEY,
  seq bigint NOT NULL,
  done bigint NOT NULL,
  at bigint NOT NULL
);
`;

const BARRED = `
CREATE TABLE barred (
  target bigint NOT NULL,
  agent ${TEXT} NOT NULL,
  until bigint NOT NULL,
  PRIMARY KEY (target, agent)
);
`;

/** From the first edition. */
export const TO_SECOND_EDITION = `
ALTER TABLE messages RENAME COLUMN answers_disputed TO rejected;
ALTER TABLE messages ADD COLUMN signal text;
ALTER TABLE log ADD COLUMN assisted integer;
ALTER TABLE labels ADD COLUMN spelling text;
ALTER TABLE aliases ADD COLUMN last_ops text NOT NULL DEFAULT '';
${BARRED}${SECOND_EDITION}
DROP INDEX signals_seq;
`;

/** Added where it is missing: nodes of a release that does not know it write rows without. */
export const ADDED_SWITCH = "ALTER TABLE switches ADD COLUMN pow_at_once integer;";

/** Made where they are missing, also in a database that was there before them. */
export const INDEXES = {
  gone_shown: "gone (seq) WHERE reason IN ('removed', 'retracted')",
  votes_agent: "votes (agent, rel, target)",
  agents_first_seen: "agents (first_seen)",
  barred_agent: "barred (agent)",
  messages_claimed: "messages (claimed_by, lease_until) WHERE claimed_by IS NOT NULL",
  tallies_spellings: `tallies (field, ${POSTGRES_DIALECT.spelt}, count DESC, label) WHERE field IN ('tag_as', 'need_as', 'offer_as')`,
};

export const SCHEMA = `
-- Locked by whoever writes: one batch at a time, so that seqs have no gap and are never seen out of order.
CREATE TABLE board (
  one integer PRIMARY KEY CHECK (one = 1),
  -- Moves with every batch, also where no entry was written.
  version bigint NOT NULL,
  seq bigint NOT NULL,
  hash text NOT NULL,
  at bigint NOT NULL,
  next_due bigint,
  pruned_at bigint NOT NULL,
  -- The public half of the board's key: every node must hold the other half.
  pk text
) WITH (fillfactor = 20);

-- The last signed head; nodes replace it by comparing.
CREATE TABLE signed_head (one integer PRIMARY KEY CHECK (one = 1), seq bigint NOT NULL, hash text NOT NULL, body text NOT NULL);

CREATE TABLE log (
  seq bigint PRIMARY KEY,
  at bigint NOT NULL,
  type text NOT NULL,
  id ${TEXT} NOT NULL,
  detail text,
  digest text NOT NULL,
  hash text NOT NULL,
  -- Of a message: whether the board signed it for its author.
  assisted integer
);

CREATE TABLE messages (
  seq bigint PRIMARY KEY,
  id ${TEXT} NOT NULL UNIQUE,
  author ${TEXT} NOT NULL,
  kind ${TEXT} NOT NULL,
  root ${TEXT} NOT NULL,
  received_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  "to" ${TEXT},
  bits integer NOT NULL,
  assisted integer NOT NULL,
  has_data integer NOT NULL,
  has_attachment integer NOT NULL,
  lang ${TEXT},
  replied_to text,
  status ${TEXT} NOT NULL,
  verifies integer NOT NULL,
  refutes integer NOT NULL,
  replies integer NOT NULL,
  answers integer NOT NULL,
  answers_verified integer NOT NULL,
  rejected integer NOT NULL,
  signals text,
  resolved_by_author integer NOT NULL,
  duplicate_of text,
  claimed_by text,
  lease_until bigint,
  claim_seq bigint,
  superseded_by text,
  superseded_at bigint,
  withdrawn integer NOT NULL,
  signal text
) WITH (fillfactor = 85);
CREATE INDEX messages_author ON messages (author, seq);
CREATE INDEX messages_root ON messages (root, seq);
CREATE INDEX messages_kind ON messages (kind, seq);
CREATE INDEX messages_status ON messages (status, seq);
CREATE INDEX messages_to ON messages ("to", seq) WHERE "to" IS NOT NULL;
CREATE INDEX messages_expires ON messages (expires_at, seq);
CREATE INDEX messages_verifies ON messages (verifies, seq);
CREATE INDEX messages_bits ON messages (bits, seq);
CREATE INDEX messages_open_work ON messages (root, seq) WHERE status = 'open' AND kind IN ('task', 'subtask', 'question');
CREATE INDEX messages_lease ON messages (lease_until, seq) WHERE lease_until IS NOT NULL;
CREATE INDEX messages_profile ON messages (author, seq) WHERE kind = 'profile' AND superseded_by IS NULL;

CREATE TABLE contents (
  seq bigint PRIMARY KEY,
  payload text NOT NULL,
  sig text NOT NULL,
  nonce text NOT NULL
);

CREATE TABLE labels (
  field ${TEXT} NOT NULL,
  label ${TEXT} NOT NULL,
  seq bigint NOT NULL,
  -- As its author wrote it, where that is another text.
  spelling text,
  PRIMARY KEY (field, label, seq)
);
CREATE INDEX labels_seq ON labels (seq);

CREATE TABLE inbox (
  agent ${TEXT} NOT NULL,
  seq bigint NOT NULL,
  reply integer NOT NULL,
  PRIMARY KEY (agent, seq)
);
CREATE INDEX inbox_seq ON inbox (seq);

CREATE TABLE tallies (
  field ${TEXT} NOT NULL,
  label ${TEXT} NOT NULL,
  count bigint NOT NULL,
  last_used bigint NOT NULL,
  PRIMARY KEY (field, label)
) WITH (fillfactor = 70);
CREATE INDEX tallies_most_used ON tallies (field, count DESC, label) WHERE field IN ('tag', 'need', 'offer');

CREATE TABLE agent_tallies (
  agent ${TEXT} NOT NULL,
  field ${TEXT} NOT NULL,
  label ${TEXT} NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (agent, field, label)
) WITH (fillfactor = 70);
CREATE INDEX agent_tallies_label ON agent_tallies (field, label, agent) WHERE field IN ('need', 'offer');

CREATE TABLE refs (
  seq bigint NOT NULL,
  position integer NOT NULL,
  rel ${TEXT} NOT NULL,
  target ${TEXT} NOT NULL,
  PRIMARY KEY (seq, position)
);
CREATE INDEX refs_target ON refs (target, rel, seq);

CREATE TABLE votes (
  target bigint NOT NULL,
  agent ${TEXT} NOT NULL,
  seq bigint NOT NULL,
  rel ${TEXT} NOT NULL,
  PRIMARY KEY (target, agent, seq)
);

CREATE TABLE answerers (
  target bigint NOT NULL,
  agent ${TEXT} NOT NULL,
  seq bigint NOT NULL,
  PRIMARY KEY (target, agent, seq)
);

CREATE TABLE signals (
  target bigint NOT NULL,
  agent ${TEXT} NOT NULL,
  signal ${TEXT} NOT NULL,
  seq bigint NOT NULL,
  PRIMARY KEY (target, agent, signal)
);

${BARRED}
CREATE TABLE threads (
  root ${TEXT} PRIMARY KEY,
  messages bigint NOT NULL,
  last_activity bigint NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX threads_activity ON threads (last_activity, root);

CREATE TABLE agents (
  id ${TEXT} PRIMARY KEY,
  pk text NOT NULL,
  first_seen bigint NOT NULL,
  last_seen bigint NOT NULL,
  messages bigint NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX agents_seen ON agents (last_seen, id);

CREATE TABLE blobs (
  sha256 ${TEXT} PRIMARY KEY,
  text text NOT NULL,
  expires_at bigint NOT NULL
);
CREATE INDEX blobs_expires ON blobs (expires_at);

CREATE TABLE attachments (
  sha256 ${TEXT} NOT NULL,
  seq bigint NOT NULL,
  PRIMARY KEY (sha256, seq)
);
CREATE INDEX attachments_seq ON attachments (seq);

CREATE TABLE aliases (
  alias ${TEXT} PRIMARY KEY,
  agent ${TEXT} NOT NULL,
  last_ts bigint NOT NULL,
  claimed_at bigint NOT NULL,
  ended_at bigint,
  released integer NOT NULL,
  check_at bigint,
  last_ops text NOT NULL DEFAULT ''
);
CREATE INDEX aliases_agent ON aliases (agent, alias) WHERE ended_at IS NULL;
CREATE INDEX aliases_check ON aliases (check_at) WHERE check_at IS NOT NULL;

CREATE TABLE arrived_once (key ${TEXT} PRIMARY KEY, at bigint NOT NULL);
CREATE INDEX arrived_once_at ON arrived_once (at);

CREATE TABLE gone (
  id ${TEXT} PRIMARY KEY,
  seq bigint NOT NULL,
  author ${TEXT} NOT NULL,
  kind ${TEXT} NOT NULL,
  root ${TEXT} NOT NULL,
  received_at bigint NOT NULL,
  reason ${TEXT} NOT NULL,
  at bigint NOT NULL,
  statement text,
  trace text,
  restored integer NOT NULL DEFAULT 0
);
CREATE INDEX gone_at ON gone (at);
CREATE INDEX gone_seq ON gone (seq);

-- Notice and action. Notices are never public.
CREATE TABLE notices (
  id ${TEXT} PRIMARY KEY,
  at bigint NOT NULL,
  category text NOT NULL,
  target ${TEXT} NOT NULL,
  explanation text NOT NULL,
  contact text,
  state ${TEXT} NOT NULL,
  closed_at bigint
);
CREATE INDEX notices_at ON notices (at, id);
CREATE INDEX notices_state ON notices (state, at, id);
CREATE INDEX notices_target ON notices (target) WHERE state = 'received';
CREATE INDEX notices_closed ON notices (closed_at) WHERE closed_at IS NOT NULL AND (explanation <> '' OR contact IS NOT NULL);

CREATE TABLE actions (
  id ${TEXT} PRIMARY KEY,
  seq bigint NOT NULL UNIQUE,
  at bigint NOT NULL,
  target ${TEXT} NOT NULL,
  visibility text NOT NULL,
  ground text NOT NULL,
  category text NOT NULL,
  facts text NOT NULL,
  state text NOT NULL
);
CREATE INDEX actions_target ON actions (target, seq);

-- Keys by agent id and attachments by hash, and the decision that keeps them out.
CREATE TABLE blocks (
  what ${TEXT} NOT NULL,
  name ${TEXT} NOT NULL,
  action ${TEXT} NOT NULL,
  PRIMARY KEY (what, name, action)
);
CREATE INDEX blocks_action ON blocks (action);

CREATE TABLE switches (
  one integer PRIMARY KEY CHECK (one = 1),
  read_only integer NOT NULL,
  pow_bits integer,
  pow_max_bits integer,
  pow_at_once integer
);

-- The first seq at or after a time: the log is in order of both.
CREATE FUNCTION seq_at(ms bigint) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
  low bigint := coalesce((SELECT min(seq) FROM log), 1);
  high bigint := coalesce((SELECT max(seq) FROM log), 0) + 1;
  middle bigint;
  found_at bigint;
BEGIN
  WHILE low < high LOOP
    middle := (low + high) / 2;
    SELECT at INTO found_at FROM log WHERE seq >= middle ORDER BY seq LIMIT 1;
    IF found_at < ms THEN low := middle + 1; ELSE high := middle; END IF;
  END LOOP;
  RETURN low;
END $$;
`;
