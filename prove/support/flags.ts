// A board for proofs: little work, no limits, only what is wrong in its log.
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
/** For a board in the process of the proof, whose words would be between its own. */
export const SILENT: readonly string[] = [...EASY, "--log-level", "silent"];
