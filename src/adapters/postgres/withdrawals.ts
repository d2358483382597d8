// What authors withdrew all at once: its time ends a bounded step at a time, in a batch or at the start of a node.
import { WITHDRAW_STEP } from "../../core/message/sweep.ts";
import type { Client } from "./client.ts";

/** For a block of PL/pgSQL that holds the board's lock. */
export const WITHDRAW_VARIABLES = `withdrawal withdrawals%ROWTYPE;
  room bigint := ${WITHDRAW_STEP};
  beyond bigint;
  ended bigint;`;

/** One step, with the lock held: so many messages end and no more. */
export const WITHDRAW_STEPS = `FOR withdrawal IN SELECT * FROM withdrawals ORDER BY seq LOOP
    EXIT WHEN room <= 0;
    beyond := (SELECT m.seq FROM messages m WHERE m.author = withdrawal.author AND m.seq > withdrawal.done AND m.seq < withdrawal.seq
      ORDER BY m.seq OFFSET room LIMIT 1);
    UPDATE messages m SET expires_at = withdrawal.at, withdrawn = 1 WHERE m.author = withdrawal.author AND m.seq > withdrawal.done
      AND m.seq < coalesce(beyond, withdrawal.seq) AND m.expires_at > withdrawal.at;
    GET DIAGNOSTICS ended = ROW_COUNT;
    IF beyond IS NULL THEN
      DELETE FROM withdrawals w WHERE w.author = withdrawal.author;
      room := room - ended;
    ELSE
      UPDATE withdrawals w SET done = beyond - 1 WHERE w.author = withdrawal.author;
      room := 0;
    END IF;
  END LOOP;`;

/** A step of its own. Whoever read the board before it has to read it again. */
const STEP = `DO $step$ DECLARE
  ${WITHDRAW_VARIABLES}
BEGIN
  PERFORM 1 FROM board WHERE one = 1 FOR UPDATE;
  ${WITHDRAW_STEPS}
  UPDATE board SET version = version + 1 WHERE one = 1;
END $step$`;

/** Ends what a node was in the middle of when it crashed: nobody may be there to write, and what is left would be shown for ever. */
export async function endWithdrawn(client: Client): Promise<void> {
  for (;;) {
    const [left] = await client.query<{ author: string }>("SELECT author FROM withdrawals LIMIT 1");
    if (left === undefined) return;
    await client.script(STEP);
  }
}
