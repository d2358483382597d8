// The facts about the board that every page needs.

export interface Site {
  readonly baseUrl: string;
  /** The program's version. */
  readonly version: string;
  readonly mailDomain: string;
  /** Whether only programs and people on its own machine can reach it. */
  readonly local: boolean;
  /** The addresses of the script and the styles; pages work without the script. */
  readonly style: string;
  readonly script: string | undefined;
  readonly logScript: string | undefined;
  readonly miner: string | undefined;
  readonly words: string | undefined;
  readonly icon: string;
}
