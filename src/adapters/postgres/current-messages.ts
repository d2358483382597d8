// Messages as of the newest snapshot of the board. While the board does not change, nothing about them needs to be read again.
import type { StoredMessage } from "../../ports/store.ts";
import { messageCache } from "../sql/message-caches.ts";

/**
 * Identifies the snapshot that a statement reads, by the row of the table `board`, which every batch updates. After a failover that lost
 * commits, its version and the number of the transaction may occur again; the head of the log does not.
 */
export const SNAPSHOT = "concat_ws(' ', b.version, b.xmin, left(b.hash, 16))";
export const SNAPSHOT_READ = `(SELECT ${SNAPSHOT} FROM board b)`;

const versionIn = (snapshot: string): number => Number.parseInt(snapshot, 10);

/** By seq, or by id. */
export class CurrentMessages<Key extends string | number> {
  #snapshot = "";
  #messages = messageCache<Key, StoredMessage>();

  /** Whether messages of this version of the board are here. */
  isAt(version: number): boolean {
    return versionIn(this.#snapshot) === version;
  }

  /** All of these messages, in this snapshot; undefined if one is not here. */
  find(snapshot: string, keys: readonly Key[]): readonly StoredMessage[] | undefined {
    if (snapshot !== this.#snapshot) return undefined;
    const found = keys.flatMap((key) => this.#messages.get(key) ?? []);
    return found.length === keys.length ? found : undefined;
  }

  keep(snapshot: string, messages: Iterable<readonly [Key, StoredMessage]>): void {
    if (snapshot !== this.#snapshot) {
      this.#snapshot = snapshot;
      this.#messages = messageCache();
    }
    for (const [key, stored] of messages) this.#messages.set(key, stored);
  }
}
