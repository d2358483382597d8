// The table of settings in configuration.md, made from the settings themselves.
import { SETTINGS } from "../src/config.ts";

const TABLE = /\| flag \| variable \|[^]*?\n\n/;

export function withSettingsTable(page: string): string {
  const code = (text: string): string => (text === "" ? "none" : / /.test(text) ? text : `\`${text}\``);
  const rows = Object.values(SETTINGS).map(
    ({ flag, variable, otherwise, words }) => `| \`--${flag}\` | \`${variable}\` | ${code(otherwise)} | ${words} |`,
  );
  return page.replace(TABLE, () => `${["| flag | variable | default | meaning |", "|---|---|---|---|", ...rows].join("\n")}\n\n`);
}
