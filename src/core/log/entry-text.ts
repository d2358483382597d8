// The exact texts that the log hashes. Also runs in browsers.

/** The `prev` of the first entry. */
export const GENESIS = /* @__PURE__ */ "0".repeat(64);

/** The fields of an entry that its hash covers; `at` is in Unix milliseconds. */
export interface Chained {
  readonly prev: string;
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  readonly id: string;
  readonly digest: string;
}

export const entryText = ({ prev, seq, at, type, id, digest }: Chained): string => `${prev}\n${seq}\n${at}\n${type}\n${id}\n${digest}\n`;

/** The text whose SHA-256 is the digest of a `create` entry. */
export const contentText = ({ payload, sig, nonce }: { readonly payload: string; readonly sig: string; readonly nonce: string }): string =>
  `${payload}\n${sig}\n${nonce}`;
