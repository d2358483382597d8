// A board's keys, from the one that a reader knows to the one that signs now: each change signed by the old key and by the new one.
import { type BoardKeyName, type KeyChange, type KeyStatement, statementOfChange } from "../core/protocol/board-key.ts";
import { PUBLIC_KEY, SIGNATURE } from "../core/protocol/encoding.ts";
import { requireSignature } from "./verify-envelope.ts";

/** What was announced, in order; throws where a signature does not hold, or a change does not go on from the one before. */
export async function requireKeyChanges(changes: readonly KeyChange[], key: BoardKeyName): Promise<readonly KeyStatement[]> {
  const statements: KeyStatement[] = [];
  for (const change of changes) {
    const statement = await requireKeyChange(change);
    const before = statements.at(-1);
    if (statement.key !== key) throw new Error(`A change of the ${statement.key}'s key stands where one of the ${key}'s should`);
    if (before !== undefined && (before.board !== statement.board || before.from > statement.from))
      throw new Error("A change of the board's key does not go on from the one before");
    statements.push(statement);
  }
  return statements;
}

/** One change by itself: both keys signed it. */
export async function requireKeyChange(change: KeyChange): Promise<KeyStatement> {
  const stated = statementOfChange(change);
  const { old, new: next, from } = stated;
  if (![old, next].every((pk) => PUBLIC_KEY.test(pk)) || ![change.old_sig, change.new_sig].every((sig) => SIGNATURE.test(sig)))
    throw new Error("A key or a signature of a change of the board's key is misspelled");
  if (!Number.isSafeInteger(from)) throw new Error("A change of the board's key does not say since when");
  await requireSignature(old, change.statement, change.old_sig);
  await requireSignature(next, change.statement, change.new_sig);
  return stated;
}
