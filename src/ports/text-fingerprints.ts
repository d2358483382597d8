// Signatures of recently posted texts: copies are counted even if their messages have ended.

export interface PostedText {
  readonly signature: Uint16Array;
  readonly author: string;
  readonly at: number;
  /** The text was not posted after all; `at` is when its author had posted it before, or 0. */
  readonly takenBack: boolean;
}

export interface TextJournal {
  /** Oldest first; texts that are too old to count may be missing. */
  read(): readonly PostedText[];
  note(text: PostedText): void;
}
