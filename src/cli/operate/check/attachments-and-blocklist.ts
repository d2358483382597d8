// Checks attachments and blocks: each attachment has the hash it is stored under, and exactly the decided blocks are in force.
import type { Holdings } from "../../../adapters/sqlite/non-message-rows.ts";
import type { Action } from "../../../core/message/moderation-state.ts";
import { sha256Hex } from "../../../core/protocol/node-sha256.ts";
import type { Findings } from "./findings.ts";

export function checkHoldings(holdings: Holdings, decisions: readonly Action[], findings: Findings): void {
  const inForce = new Set(decisions.filter(({ state }) => state === "in_force").map(({ id }) => id));
  const blockedBlobs = new Set<string>();
  for (const { what, name, action } of holdings.blocks()) {
    if (what === "blob") blockedBlobs.add(name);
    if (!inForce.has(action)) findings.add(`${what} ${name}`, `is blocked by ${action}, which is not in force`);
  }
  for (const { sha256, text, uses } of holdings.blobs()) {
    const where = `attachment ${sha256}`;
    if (sha256Hex(text) !== sha256) findings.add(where, "has a text with another hash");
    if (blockedBlobs.has(sha256)) findings.add(where, "is blocked, but its text is still there");
    if (uses === 0) findings.add(where, "is stored, though no live message has it");
  }
}
