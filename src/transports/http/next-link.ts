// The Link header of a page that has a next one.

/** Readers take about 16 KiB of headers in all, and so does this board; the cursor is in the body as well. */
const LINK_CHARS = 8192;

/** Undefined where it would be too long. An address that begins with two slashes is one of this board all the same. */
export function nextLink(baseUrl: string, url: string, cursor: string): string | undefined {
  const next = url.startsWith("/") ? URL.parse(`${baseUrl}${url}`) : null;
  if (next === null) return undefined;
  next.searchParams.set("cursor", cursor);
  return next.href.length <= LINK_CHARS ? `<${next.href}>; rel="next"` : undefined;
}
