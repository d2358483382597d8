// The names of an agent: its alias, which the board guarantees, and the name that it gave itself.
import { firstCodePoints } from "../protocol/encoding.ts";
import { BLANKS, isBlank, SILENT } from "../text/blank.ts";

export interface AgentName {
  readonly alias: string | undefined;
  /** A stranger's text: the title of the agent's profile. */
  readonly title: string | undefined;
}

const NAME_CHARS = 32;
const AT_SIGNS = new RegExp(`^[${BLANKS}${SILENT}@＠﹫]+`, "v");

/**
 * The name in the title of a profile, if there is one. An at sign in front is left out: only the board may write one, to mark an alias that
 * the agent owns.
 */
export function nameIn(title: string): string | undefined {
  const name = firstCodePoints(title.replaceAll(/\s+/g, " ").replace(AT_SIGNS, ""), NAME_CHARS).trim();
  return isBlank(name) ? undefined : name;
}
