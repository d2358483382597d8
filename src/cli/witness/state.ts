// The memory of a witness in one file: for each log, its key and the head that was cosigned last; for each board, the name of its log.
import { existsSync, readFileSync } from "node:fs";
import { replaceFile } from "../../adapters/system/replace-file.ts";
import { sha256 } from "../../core/protocol/node-sha256.ts";
import { fromBase64, toBase64 } from "../../core/tlog/base64.ts";
import { parseVerifierKey, type VerifierKey } from "../../core/tlog/key.ts";
import type { TreeHead } from "../../core/tlog/merkle.ts";
import type { Decision, Witnessed } from "../../core/tlog/witness.ts";

interface SavedLog {
  readonly vkey: string;
  readonly size?: number;
  /** In base64. */
  readonly root?: string;
  /** That head, signed by the log and cosigned. */
  readonly note?: string;
}

interface Stored {
  readonly logs: Record<string, SavedLog>;
  readonly boards?: Record<string, string>;
}

export class WitnessState implements Witnessed {
  readonly #path: string;
  readonly #logs: Map<string, SavedLog>;
  /** The origin that each board showed last, by the board's address. */
  readonly #boards: Map<string, string>;

  constructor(path: string) {
    this.#path = path;
    const { logs, boards = {} } = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Stored) : { logs: {} };
    this.#logs = new Map(Object.entries(logs));
    this.#boards = new Map(Object.entries(boards));
  }

  /** Follows this log with this key from now on; another key for the same name is refused. */
  learn(vkey: string): VerifierKey {
    const key = parseVerifierKey(vkey, sha256);
    const known = this.#logs.get(key.name);
    if (known !== undefined && known.vkey !== vkey)
      throw new Error(
        `${key.name} shows another key than before: ${vkey}; this witness knows ${known.vkey}. Nothing is cosigned. If the log's owner has told you why, delete that log from ${this.#path}.`,
      );
    if (known === undefined) {
      this.#logs.set(key.name, { vkey });
      this.#save();
    }
    return key;
  }

  /** The origin that the board at this address showed last. */
  shownAt(url: string): string | undefined {
    return this.#boards.get(url);
  }

  showsNow(url: string, origin: string): void {
    if (this.#boards.get(url) === origin) return;
    this.#boards.set(url, origin);
    this.#save();
  }

  /** The log has another key now, which the known one announced. */
  replace(vkey: string): void {
    const { name } = parseVerifierKey(vkey, sha256);
    this.#logs.set(name, { ...this.#logs.get(name), vkey });
    this.#save();
  }

  keysOf(origin: string): readonly VerifierKey[] | undefined {
    const known = this.#logs.get(origin);
    return known && [parseVerifierKey(known.vkey, sha256)];
  }

  last(origin: string): TreeHead | undefined {
    const { size, root } = this.#logs.get(origin) ?? {};
    return size === undefined || root === undefined ? undefined : { size, root: fromBase64(root, "The last root") };
  }

  /** Synchronous, so that no other decision comes in between; on disk before anything is signed. */
  update(origin: string, _request: unknown, decide: (last: TreeHead | undefined) => Decision): Decision {
    const decision = decide(this.last(origin));
    const known = this.#logs.get(origin);
    if ("head" in decision && known !== undefined) {
      const { size, root } = decision.head;
      this.#logs.set(origin, { ...known, size, root: toBase64(root) });
      this.#save();
    }
    return decision;
  }

  /** Stores the cosigned head to be served, unless a larger one was cosigned meanwhile. */
  show({ origin, size }: { readonly origin: string; readonly size: number }, note: string): void {
    const known = this.#logs.get(origin);
    if (known?.size !== size) return;
    this.#logs.set(origin, { ...known, note });
    this.#save();
  }

  shown(wanted: (origin: string) => boolean): string | undefined {
    return [...this.#logs].find(([origin]) => wanted(origin))?.[1].note;
  }

  #save(): void {
    const stored: Stored = { logs: Object.fromEntries(this.#logs), boards: Object.fromEntries(this.#boards) };
    replaceFile(this.#path, `${JSON.stringify(stored, null, 1)}\n`);
  }
}
