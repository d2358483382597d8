// Conversion of keys and their lines between rows and the board's own types.
import type { AuthorLine } from "../../core/keys/key-state.ts";

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the shape of what it asked for.
export const toState = <State>(row: unknown): State => JSON.parse((row as { readonly state: string }).state) as State;

/** The principal of a key, as an SQL expression. */
export const principalOf = (agent: string): string =>
  `coalesce((SELECT p.principal FROM keys p WHERE p.agent = ${agent} AND p.role <> 'signer'), ${agent})`;

/** The facts about a key in the row of its agent. */
export const authorLineOf = (text: string | null | undefined): AuthorLine | undefined =>
  text == null ? undefined : (JSON.parse(text) as AuthorLine);
