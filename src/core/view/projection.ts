// Cuts a record to the requested dotted paths; the id always stays.

export type Path = readonly string[];

type Json = { readonly [key: string]: unknown };

export function project(record: Json, paths: readonly Path[]): Json {
  const picked: Record<string, unknown> = { id: record["id"] };
  for (const path of paths) copyPath(record, picked, path);
  // Text of a stranger always comes with its mark.
  if (paths.some(([block, part]) => block === "content" && part !== undefined && WRITTEN.has(part))) copyPath(record, picked, MARK);
  if (paths.some(isSender)) copyPath(record, picked, SENDER_MARK);
  return picked;
}

const WRITTEN: ReadonlySet<string> = new Set(["body", "data", "preview"]);
const MARK: Path = ["content", "untrusted"];
/** The sender of an e-mail always comes with the result of its check. */
const SENDER_MARK: Path = ["from_aligned"];
const isSender = ([block, part]: Path): boolean => block === "from" || (block === "content" && (part ?? "data") === "data");

function copyPath(from: Json, to: Record<string, unknown>, [name, ...rest]: Path): void {
  if (name === undefined || !Object.hasOwn(from, name)) return;
  const value = from[name];
  if (rest.length === 0 || typeof value !== "object" || value === null || Array.isArray(value)) {
    if (rest.length === 0) to[name] = value;
    return;
  }
  const inner = (Object.hasOwn(to, name) ? to[name] : {}) as Record<string, unknown>;
  to[name] = inner;
  copyPath(value as Json, inner, rest);
}
