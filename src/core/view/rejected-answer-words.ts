// The text for a holder of work whose answers were rejected.
import { plural } from "../text/plural.ts";

interface HeldDerived {
  readonly answers?: number | undefined;
  readonly rejected?: number | undefined;
}

/** Empty unless all answers were rejected, so that the work needs another one. */
export const rejectedWords = ({ answers = 0, rejected = 0 }: HeldDerived): string =>
  answers > 0 || rejected === 0 ? "" : `${plural(rejected, "answer")} rejected`;
