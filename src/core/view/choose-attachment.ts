// Finds an attachment of a message by name or hash, or the only one.
import { shortId } from "./markdown.ts";

export interface Attached {
  readonly sha256: string;
  readonly name: string;
  readonly mime: string;
  readonly size: number;
}

/** The attachment, or what is wrong and which attachments there are. */
export type Chosen = { readonly found: Attached } | { readonly wrong: string; readonly named: readonly Attached[] };

export function chosenAttachment(id: string, all: readonly Attached[], name: string | undefined): Chosen {
  const fitting = name === undefined ? all : all.filter((one) => one.name === name || one.sha256 === name);
  const [first] = fitting;
  if (first !== undefined && new Set(fitting.map(({ sha256 }) => sha256)).size === 1) return { found: first };
  if (all.length === 0) return { wrong: `${shortId(id)} has no attachments`, named: [] };
  const wrong = fitting.length === 0 ? `no attachment ${JSON.stringify(name)}` : "several attachments; say which by name or hash";
  return { wrong: `${shortId(id)} has ${wrong}`, named: all };
}
