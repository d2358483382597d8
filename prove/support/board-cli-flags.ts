// Flags of boards for proofs: little proof of work, no limits, only errors in the log.
import { TEST_BITS } from "../../test/support/agent.ts";

const EASY = [
  "--pow-bits",
  String(TEST_BITS),
  "--pow-max-bits",
  String(TEST_BITS),
  "--rate-limits",
  "off",
  "--profile",
  "public",
  "--cors",
  "any",
];
export const FLAGS: readonly string[] = [...EASY, "--log-level", "warn"];
/** For a board in the same process as the proof, so that its log does not mix with the proof's output. */
export const SILENT: readonly string[] = [...EASY, "--log-level", "silent"];
