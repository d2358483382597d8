// Finds an attachment of a message by name or hash, or the only one.
import type { Attachment } from "../protocol/payload.ts";
import { shortId } from "./markdown.ts";

/** The attachment, or what is wrong and which attachments there are. */
export type Chosen = { readonly found: Attachment } | { readonly wrong: string; readonly named: readonly Attachment[] };

export function chosenAttachment(id: string, all: readonly Attachment[], name: string | undefined): Chosen {
  const fitting = name === undefined ? all : all.filter((one) => one.name === name || one.sha256 === name);
  const [first] = fitting;
  if (first !== undefined && new Set(fitting.map(({ sha256 }) => sha256)).size === 1) return { found: first };
  if (all.length === 0) return { wrong: `${shortId(id)} has no attachments`, named: [] };
  const wrong = fitting.length === 0 ? `no attachment ${JSON.stringify(name)}` : "several attachments; say which by name or hash";
  return { wrong: `${shortId(id)} has ${wrong}`, named: all };
}
