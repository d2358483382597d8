// What this library throws where bytes from outside are not what they should be.

/**
 * malformed: not as its format has it. origin: of another log, or of none that is known. signature: nobody known signed, or a
 * known key's signature does not hold. quorum: too few witnesses. proof: the hashes do not lead where they should.
 */
export type Fault = "malformed" | "origin" | "signature" | "quorum" | "proof";

export class TlogError extends Error {
  override readonly name = "TlogError";
  readonly fault: Fault;

  constructor(fault: Fault, message: string) {
    super(message);
    this.fault = fault;
  }
}

export const malformed = (message: string): TlogError => new TlogError("malformed", message);
