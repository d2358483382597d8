// Lists as PostgreSQL reads them from one text value.

/** For `$1::bigint[]`. */
export const numberArray = (values: Iterable<number>): string => `{${[...values].join(",")}}`;

/** For `$1::text[]`. */
export const textArray = (values: Iterable<string>): string =>
  `{${Array.from(values, (value) => `"${storable(value).replaceAll(/["\\]/g, "\\$&")}"`).join(",")}}`;

/** For either. */
export const listLiteral = (values: readonly (string | number)[]): string => textArray(values.map(String));

/** PostgreSQL knows no U+0000. No stored text holds one, so a question that does is asked with a character that no text holds either. */
export const storable = (text: string): string => text.replaceAll("\0", "\uFFFF");
