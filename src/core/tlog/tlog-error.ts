// What this library throws where bytes from outside are not what they should be.

/**
 * malformed: not as its format has it. origin: of another log, or of none that is known. signature: nobody known signed, or a
 * known key's signature does not hold. quorum: too few witnesses. proof: the hashes do not lead where they should.
 * history: the log does not go on from what it signed before; `cause` is the note that it signs now.
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
