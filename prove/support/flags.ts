// A board for proofs: little work, no limits, only what is wrong in its log.
import { TEST_BITS } from "../../test/support/agent.ts";

export const FLAGS = ["--pow-bits", String(TEST_BITS), "--pow-max-bits", String(TEST_BITS), "--rate-limits", "off", "--log-level", "warn"];
