// The files that pages refer to: style, script and icon, under names that change with their content.

export interface Asset {
  readonly type: string;
  readonly bytes: Uint8Array;
  /** The compressed content, by the name of the encoding. */
  readonly coded: Readonly<Partial<Record<Coding, Uint8Array>>>;
}

/** Encodings of compressed answers, the better first. */
export const CODINGS = ["br", "gzip"] as const;
export type Coding = (typeof CODINGS)[number];

export interface Assets {
  /** By name, as in `/assets/{name}`. */
  readonly files: ReadonlyMap<string, Asset>;
  readonly style: string;
  /** Undefined if the program runs from source without the tool that builds them. */
  readonly script: string | undefined;
  /** Additional files for the page of the log. */
  readonly logScript: string | undefined;
  /** The script that pages run as a worker. */
  readonly miner: string | undefined;
  /** The script that converts between keys and words; loaded when it is first needed. */
  readonly words: string | undefined;
  readonly icon: string;
}

export type LoadAssets = () => Promise<Assets>;
