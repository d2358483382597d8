// Lists in the form that PostgreSQL reads from one text value.

/** For `$1::bigint[]`. */
export const numberArray = (values: Iterable<number>): string => `{${[...values].join(",")}}`;

/** For `$1::text[]`. */
export const textArray = (values: Iterable<string>): string =>
  `{${Array.from(values, (value) => `"${storable(value).replaceAll(/["\\]/g, "\\$&")}"`).join(",")}}`;

/** For either. */
export const listLiteral = (values: readonly (string | number)[]): string => textArray(values.map(String));

/** For `$1::messages[]` and other tables: the values of each row, in the order of these fields. */
export function rowArray(fields: readonly string[], rows: readonly object[]): string {
  let list = "";
  for (const row of rows as readonly Readonly<Record<string, unknown>>[]) {
    let texts = "";
    for (const field of fields) texts += `,${fieldText(row[field])}`;
    list += `,"(${texts.slice(1)})"`;
  }
  return `{${list.slice(1)}}`;
}

const SPECIAL_IN_ROW = /[,()"\\]/;

/** An empty field means null, and two quotes an empty text. Quotes and backslashes are escaped twice: for the row, and for the list of rows. */
function fieldText(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(Number(value));
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text !== "" && !SPECIAL_IN_ROW.test(text)) return text;
  return `\\"${text.replaceAll(/["\\]/g, (char) => (char === '"' ? '\\"\\"' : "\\\\\\\\"))}\\"`;
}

/** PostgreSQL has no U+0000. No stored text contains it, so a query with it uses another character that no text contains. */
export const storable = (text: string): string => text.replaceAll("\0", "\uFFFF");
