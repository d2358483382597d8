// The error that this library throws for bad input from outside.

/**
 * malformed: does not match its format. origin: from another log, or from an unknown one. signature: no known key signed, or the
 * signature of a known key is invalid. quorum: too few witnesses. proof: the hashes do not lead to the root. history: the log does not
 * continue what it signed before; `cause` is the note that it signs now.
 */
export type Fault = "malformed" | "origin" | "signature" | "quorum" | "proof" | "history";

export class TlogError extends Error {
  override readonly name = "TlogError";
  readonly fault: Fault;

  constructor(fault: Fault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

export const malformed = (message: string): TlogError => new TlogError("malformed", message);
