// Parameters of an address: lists, times and truth values as the board reads them.

export type QueryValue = string | number | boolean | Date | readonly string[] | undefined;

/** `?a=1&b=x,y`, or nothing where nothing is given. */
export function queryString(values: Readonly<Record<string, QueryValue>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    parameters.set(name, Array.isArray(value) ? value.join(",") : value instanceof Date ? value.toISOString() : String(value));
  }
  const text = parameters.toString();
  return text === "" ? "" : `?${text}`;
}
