// Two checkpoints of one log that cannot both be true: evidence that anybody can verify without the log.
import { sameBytes } from "./bytes.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { emptyRoot, type Hash, prefixRoot, type Sha256 } from "./merkle.ts";
import { TlogError } from "./tlog-error.ts";

/**
 * Throws unless the two contradict each other. The caller has already checked that the log signed both. If their sizes differ, the path
 * (see `planPrefix`) shows which root the larger tree has at the size of the smaller one. No such path exists for a log that has only
 * ever grown; a log that refuses to give a path proves nothing.
 */
export function requireContradiction(one: Checkpoint, two: Checkpoint, path: readonly Hash[], sha256: Sha256): void {
  if (one.origin !== two.origin) throw new TlogError("origin", `These are two logs, ${one.origin} and ${two.origin}.`);
  const [older, newer] = one.size <= two.size ? [one, two] : [two, one];
  if (!sameBytes(impliedRoot(older, newer, path, sha256), older.root)) return;
  throw new TlogError("proof", "The two checkpoints fit together: what the larger tree begins with is the smaller one.");
}

/** The root that the newer tree has at the size of the older one. */
function impliedRoot(older: Checkpoint, newer: Checkpoint, path: readonly Hash[], sha256: Sha256): Hash {
  const needsPath = older.size > 0 && older.size < newer.size;
  if (!needsPath && path.length > 0) throw new TlogError("proof", "No path is needed between these sizes, so none may be given.");
  if (older.size === 0) return emptyRoot(sha256);
  return needsPath ? prefixRoot(older.size, newer, path, sha256) : newer.root;
}
