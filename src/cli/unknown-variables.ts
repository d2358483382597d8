// Warns of variables that look like a misspelled setting of the board, which would otherwise be ignored silently.
import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { SETTINGS } from "../config.ts";
import { closestName } from "../core/text/did-you-mean.ts";

const PREFIX = /^BOARD_/i;
/** Variables that tests and compose.yaml read. */
const OTHERS = /^BOARD_(?:DOMAIN$|BROWSER$|TEST_)/;
const KNOWN: readonly string[] = Object.values(SETTINGS).map(({ variable }) => variable);
/** The known names without their common prefix, which must not count as similarity. */
const SHORT = new Map(KNOWN.map((name) => [name.replace(PREFIX, ""), name]));

export interface UnknownVariable {
  readonly words: string;
  /** Whether a setting was most likely meant, and not a variable of another program. */
  readonly likely: boolean;
}

/** `file`: the names in the board's own settings file; variables of other programs are there only by mistake. */
export function unknownVariables(environment: readonly string[], file: readonly string[]): readonly UnknownVariable[] {
  const strange = new Set([...environment, ...file].filter((name) => PREFIX.test(name) && !KNOWN.includes(name) && !OTHERS.test(name)));
  return [...strange].sort().map((name) => {
    const near = SHORT.get(closestName(name.replace(PREFIX, ""), [...SHORT.keys()]) ?? "");
    const mend = near === undefined ? "; docs/configuration.md lists them all" : `; did you mean ${near}?`;
    return { words: `${name} is not a setting${mend}`, likely: near !== undefined || file.includes(name) };
  });
}

/** The variables of this process and of `.env` in its directory. */
export function unknownHere(): readonly UnknownVariable[] {
  const file = existsSync(".env") ? Object.keys(parseEnv(readFileSync(".env", "utf8"))) : [];
  return unknownVariables(Object.keys(process.env), file);
}
