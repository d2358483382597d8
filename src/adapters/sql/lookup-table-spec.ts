// How the rows of a table lead to messages.

/** Sorting this many rows costs less than scanning a whole index in order. */
export const SORTABLE = 5000;

/** Rows that each give a seq, by the value of a column. */
export interface SeqLookup {
  readonly from: string;
  readonly column: string;
  /** The column of the seq, if it is not `seq`. */
  readonly seq?: string;
  /** A further condition on the rows. */
  readonly where?: string;
  /** The required value of another column. */
  readonly other?: { readonly column: string; readonly value: string };
  /** The value stored in the column, if it differs from the value searched for. */
  readonly key?: (value: string) => string;
  /** The columns of the index that gives the rows of one value in order. */
  readonly orderedBy: readonly string[];
  /** Whether a seq may occur more than once: never, for several values, or even for one. */
  readonly repeats: "never" | "across values" | "always";
  /** The rows are only candidates: each message has to be tested again. */
  readonly nearby?: true;
  /** The number of rows of these values, as an expression of their placeholders; without it they are counted up to a limit. */
  readonly count?: (values: readonly string[]) => string;
}
