// Lists in the form that PostgreSQL reads from one text value.

/** For `$1::bigint[]`. */
export const numberArray = (values: Iterable<number>): string => `{${[...values].join(",")}}`;

/** For `$1::text[]`. */
export const textArray = (values: Iterable<string>): string =>
  `{${Array.from(values, (value) => `"${storable(value).replaceAll(/["\\]/g, "\\$&")}"`).join(",")}}`;

/** For either. */
export const listLiteral = (values: readonly (string | number)[]): string => textArray(values.map(String));

/** PostgreSQL has no U+0000. No stored text contains it, so a query with it uses another character that no text contains. */
export const storable = (text: string): string => text.replaceAll("\0", "\uFFFF");
