// The tables of a board in PostgreSQL: those of every store, and one row with the head of the log.
import { GENESIS } from "../../core/log/chain.ts";
import { historyOf, schemaSql, type TableSpelling } from "../sql/schema.ts";
import { type Table, TABLES } from "../sql/tables.ts";
import { POSTGRES_DIALECT } from "./dialect.ts";

const OWN: Readonly<Record<string, Table>> = {
  labels: { ...TABLES.labels, indexes: { labels_seq: "(seq)" } },
  inbox: { ...TABLES.inbox, indexes: { inbox_seq: "(seq)" } },
  votes: { ...TABLES.votes, indexes: { votes_agent: "(agent, rel, target)" } },
  agents: { ...TABLES.agents, indexes: { ...TABLES.agents.indexes, agents_first_seen: "(first_seen)" } },
  // Locked by the writer: one batch at a time, so that seqs have no gaps and never appear out of order. `version` increases with every
  // batch, even without a new entry; `pk` is the public half of the board's key, of which every node must have the secret half. `frontier`
  // is that of the tree, in base64; null if it must be read from the tiles.
  board: {
    columns: `
      one small PRIMARY KEY CHECK (one = 1),
      version number NOT NULL,
      seq number NOT NULL,
      hash text NOT NULL,
      at number NOT NULL,
      next_due number,
      pruned_at number NOT NULL,
      pk text,
      frontier text`,
    fill: 20,
  },
  // The last signed head; nodes replace it by compare and swap.
  signed_head: {
    columns: `
      one small PRIMARY KEY CHECK (one = 1),
      seq number NOT NULL,
      hash text NOT NULL,
      body text NOT NULL`,
  },
};

const SPELLING: TableSpelling = {
  ...POSTGRES_DIALECT,
  // Names are compared byte by byte, as in SQLite, whatever the database's collation.
  types: { number: "bigint", small: "integer", name: `text COLLATE "C"`, text: "text" },
  indexesHaveKeys: false,
  end: ({ fill }) => (fill === undefined ? "" : ` WITH (fillfactor = ${fill})`),
};

const SEQ_AT = `
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

export const HISTORY = historyOf(`${schemaSql({ ...TABLES, ...OWN }, SPELLING)}
${SEQ_AT}
INSERT INTO board (one, version, seq, hash, at, next_due, pruned_at) VALUES (1, 0, 0, '${GENESIS}', 0, NULL, 0);`);
