// Follows the changes of a board's key, from the key that a reader knows to the present one: each change is signed by both keys.
import { type BoardKeyName, type KeyChange, type KeyStatement, statementOfChange } from "../core/protocol/board-key-change.ts";
import { PUBLIC_KEY, SIGNATURE } from "../core/protocol/encoding.ts";
import { requireSignature } from "./verify-envelope.ts";

/** The announced changes in order. Throws if a signature is invalid, or if a change does not continue the one before. */
export async function requireKeyChanges(changes: readonly KeyChange[], key: BoardKeyName): Promise<readonly KeyStatement[]> {
  const statements: KeyStatement[] = [];
  for (const change of changes) {
    const statement = await requireKeyChange(change);
    const before = statements.at(-1);
    if (statement.key !== key) throw new Error(`There is a change of the ${statement.key}'s key in place of one of the ${key}'s key`);
    if (before !== undefined && (before.board !== statement.board || before.from > statement.from))
      throw new Error("A change of the board's key does not continue the one before");
    statements.push(statement);
  }
  return statements;
}

/** Checks that both keys signed one change. */
export async function requireKeyChange(change: KeyChange): Promise<KeyStatement> {
  const stated = statementOfChange(change);
  const { old, new: next, from } = stated;
  if (![old, next].every((pk) => PUBLIC_KEY.test(pk)) || ![change.old_sig, change.new_sig].every((sig) => SIGNATURE.test(sig)))
    throw new Error("A key or a signature of a change of the board's key is not encoded as required");
  if (!Number.isSafeInteger(from)) throw new Error("A change of the board's key does not say since when");
  await requireSignature(old, change.statement, change.old_sig);
  await requireSignature(next, change.statement, change.new_sig);
  return stated;
}
