// Plans: messages that refer to each other by local names before any of them is posted.
import { BoardError } from "./board-error.ts";
import type { Fields, File } from "./sign-message.ts";

/** A message of a plan. Refs to those before it are `@` and their `name`; `name` itself is not posted. */
export type Planned = Fields & { readonly name?: string | undefined; readonly files?: readonly File[] | undefined };

const LOCAL = "@";

/** Throws if a name is given twice, or if a ref names no earlier message. */
export function requireNames(plan: readonly Planned[]): void {
  const names = new Set<string>();
  for (const [i, { name, refs = [] }] of plan.entries()) {
    const place = `Message ${i + 1} of the plan`;
    const lost = refs.find(({ id }) => id.startsWith(LOCAL) && !names.has(id.slice(LOCAL.length)));
    if (lost !== undefined) throw new Error(`${place} refers to ${lost.id}, and no message before it has that name.`);
    if (name === undefined) continue;
    if (names.has(name)) throw new Error(`${place} has the name ${JSON.stringify(name)}, which another one before it has already.`);
    names.add(name);
  }
}

/** The names that a message refers to. */
export const namesIn = ({ refs = [] }: Planned): readonly string[] =>
  refs.flatMap(({ id }) => (id.startsWith(LOCAL) ? [id.slice(LOCAL.length)] : []));

/** The message to sign, with ids instead of names. */
export function fieldsOf({ name: _name, files: _files, ...fields }: Planned, ids: ReadonlyMap<string, string>): Fields {
  if (fields.refs === undefined) return fields;
  return {
    ...fields,
    refs: fields.refs.map(({ rel, id }) => ({ rel, id: id.startsWith(LOCAL) ? (ids.get(id.slice(LOCAL.length)) ?? id) : id })),
  };
}

/** A message that refers to a refused one is refused too, and need not be mined. */
export const notThere = (name: string): BoardError =>
  new BoardError({
    code: "target_unknown",
    message: `It refers to @${name}, which was refused.`,
    hint: "Correct that message first.",
    status: 409,
  });
