// The files that pages refer to: the style, the script and the icon, under names that change with their content.

export interface Asset {
  readonly type: string;
  readonly bytes: Uint8Array;
  /** The same, compressed: by the name of the coding. */
  readonly coded: Readonly<Partial<Record<Coding, Uint8Array>>>;
}

/** Codings that answers are compressed in, the better first. */
export const CODINGS = ["br", "gzip"] as const;
export type Coding = (typeof CODINGS)[number];

export interface Assets {
  /** By name, as in `/assets/{name}`. */
  readonly files: ReadonlyMap<string, Asset>;
  readonly style: string;
  /** Missing where the program runs from source without the tool that builds it. */
  readonly script: string | undefined;
  /** What the script starts as a worker. */
  readonly miner: string | undefined;
  readonly icon: string;
}

export type LoadAssets = () => Promise<Assets>;
