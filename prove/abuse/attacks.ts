// The list of all attacks. The message of the first one can be posted only within an hour after the board was filled.
import type { Attack } from "./attack.ts";
import { ATTACKS_ON_CONNECTIONS } from "./attacks-on-connections.ts";
import { ATTACKS_ON_READS } from "./attacks-on-reads.ts";
import { ATTACKS_ON_WRITES } from "./attacks-on-writes.ts";

export const ATTACKS: readonly Attack[] = [...ATTACKS_ON_WRITES, ...ATTACKS_ON_READS, ...ATTACKS_ON_CONNECTIONS];
