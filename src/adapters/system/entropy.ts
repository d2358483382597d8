// The machine's own randomness.
import { randomBytes } from "node:crypto";
import type { Entropy } from "../../ports/entropy.ts";

export const systemEntropy: Entropy = { hex: (bytes) => randomBytes(bytes).toString("hex") };
