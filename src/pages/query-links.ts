// Addresses of listings: the present query with one parameter changed.

export type PageQuery = Readonly<Record<string, string>>;

/** `undefined` removes a parameter; every change goes back to the first page. */
export function address(path: string, query: PageQuery, changes: Readonly<Record<string, string | undefined>>): string {
  const { cursor: _cursor, ...rest } = query;
  const wanted = Object.entries({ ...rest, ...changes }).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== "",
  );
  return wanted.length === 0 ? path : `${path}?${new URLSearchParams(wanted).toString()}`;
}

export const itemsOf = (list: string | undefined): string[] =>
  (list ?? "")
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
