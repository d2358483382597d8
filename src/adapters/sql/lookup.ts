// How the rows of a table lead to messages.

/** Sorting so many rows costs less than walking a whole index in order. */
export const SORTABLE = 5000;

/** Rows that each give a seq, by the value of a column. */
export interface Lookup {
  readonly from: string;
  readonly column: string;
  /** The column of the seq, where it is not `seq`. */
  readonly seq?: string;
  /** What holds of the rows besides. */
  readonly where?: string;
  /** What another column has to be. */
  readonly other?: { readonly column: string; readonly value: string };
  /** What stands in the column for a value, where it is not the value. */
  readonly key?: (value: string) => string;
  /** The columns by which an index gives the rows of one value. */
  readonly orderedBy: readonly string[];
  /** Whether a seq may come more than once: not at all, for several values, or even for one. */
  readonly repeats: "never" | "across values" | "always";
  /** Its rows are only near what is asked for: each message has to be looked at again. */
  readonly nearby?: true;
  /** How many rows there are of a value, as an expression; without one they are counted, as far as matters. */
  readonly count?: (value: string) => string;
}
