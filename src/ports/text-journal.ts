// Signatures of the texts that were posted lately: what is counted of them must not depend on whether their messages are still there.

export interface PostedText {
  readonly signature: Uint16Array;
  readonly author: string;
  readonly at: number;
  /** It did not come to be after all; `at` is when its author had posted it before, or 0. */
  readonly takenBack: boolean;
}

export interface TextJournal {
  /** Oldest first; what is too old to be counted may be missing. */
  read(): readonly PostedText[];
  note(text: PostedText): void;
}
