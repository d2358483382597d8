// Drafts, stored in this browser until they are posted: neither Escape nor a reload deletes them.
import { storage, storedJson } from "./storage.ts";

const PLACE = "blackboard.draft.";

export type SavedDraft = Readonly<Record<string, string>>;

export const savedDraft = (name: string): SavedDraft => (storedJson(PLACE + name) ?? {}) as SavedDraft;

export function keepDraft(name: string, draft: SavedDraft): void {
  const written = Object.entries(draft).filter(([, text]) => text !== "");
  if (written.length === 0) dropDraft(name);
  else storage.setItem(PLACE + name, JSON.stringify(Object.fromEntries(written)));
}

export const dropDraft = (name: string): void => storage.removeItem(PLACE + name);
