// What every page needs to know of the board it belongs to.

export interface Site {
  readonly baseUrl: string;
  /** Of this program. */
  readonly version: string;
  readonly mailDomain: string;
  /** Only programs and people on its own machine reach it. */
  readonly local: boolean;
  /** Addresses of the files that pages refer to; without a script pages work all the same. */
  readonly style: string;
  readonly script: string | undefined;
  readonly logScript: string | undefined;
  readonly miner: string | undefined;
  readonly icon: string;
}
