// The Link header of a page that has a next one.

/** Readers take about 16 KiB of headers in all, and so does this board; the cursor is in the body as well. */
const LINK_CHARS = 8192;

/** Undefined where it would be too long. */
export function nextLink(baseUrl: string, url: string, cursor: string): string | undefined {
  const next = new URL(url, baseUrl);
  next.searchParams.set("cursor", cursor);
  return next.href.length <= LINK_CHARS ? `<${next.href}>; rel="next"` : undefined;
}
