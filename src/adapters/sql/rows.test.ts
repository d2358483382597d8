import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { MessageState } from "../../core/message/message-state.ts";
import { STATE_COLUMNS, stateFrom, toMessageState } from "./rows.ts";

const STATE: MessageState = {
  seq: 1,
  id: "an id",
  author: "an author",
  principal: "a principal",
  kind: "a kind",
  root: "a root",
  receivedAt: 2,
  expiresAt: 3,
  to: "a recipient",
  bits: 4,
  assisted: true,
  hasData: false,
  hasAttachment: true,
  risk: 2,
  copies: 3,
  spreading: true,
  lang: "a language",
  repliedTo: ["one", "another"],
  status: "open",
  verifies: 5,
  refutes: 6,
  replies: 7,
  answers: 8,
  answersVerified: 9,
  rejected: 10,
  signals: { useful: 11 },
  resolvedByAuthor: false,
  duplicateOf: "an older one",
  claimedBy: "a worker",
  leaseUntil: 12,
  claimSeq: 13,
  supersededBy: "a newer one",
  supersededAt: 14,
  withdrawn: true,
  signal: "stale",
  changed: 15,
  handled: "declined",
  handledAt: 16,
  handledWhy: "busy",
};

/** As both stores write it. */
function written(value: unknown): string | number | null {
  if (Array.isArray(value)) return value.join(" ");
  if (typeof value === "object" && value !== null) return JSON.stringify(value);
  return typeof value === "boolean" ? Number(value) : (value as string | number | null);
}

test("every fact about a message is read from its own column, as a list and as an object", () => {
  using db = new DatabaseSync(":memory:");
  const columns = Object.keys(STATE).map((name) => `"${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}"`);
  db.exec(`CREATE TABLE messages (${columns.join(", ")})`);
  db.prepare(`INSERT INTO messages VALUES (${columns.map(() => "?").join(", ")})`).run(...Object.values(STATE).map(written));
  const statement = db.prepare(`SELECT ${STATE_COLUMNS} FROM messages m`);
  expect(toMessageState(statement.get())).toEqual(STATE);
  statement.setReturnArrays(true);
  expect(stateFrom(statement.get())).toEqual(STATE);
});
