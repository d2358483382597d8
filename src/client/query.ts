// Builds paths and query strings: lists, times and booleans in the form that the board reads.

export type QueryValue = string | number | boolean | Date | readonly string[] | undefined;

/** `?a=1&b=x,y`, or an empty string. */
export function queryString(values: Readonly<Record<string, QueryValue>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    parameters.set(name, Array.isArray(value) ? value.join(",") : value instanceof Date ? value.toISOString() : String(value));
  }
  const text = parameters.toString();
  return text === "" ? "" : `?${text}`;
}

/** An id or a name in a path. Without it, the path would be that of a list. */
export function pathPart(text: string): string {
  if (text === "") throw new TypeError("An id, an agent or an alias is empty.");
  return encodeURIComponent(text);
}
