// The Link header of a page that has a next one.

/** Clients accept about 16 KiB of headers in all, and so does this board. The cursor is in the body too. */
const LINK_CHARS = 8192;

/** Undefined if the link would be too long. A path that begins with two slashes still belongs to this board. */
export function nextLink(baseUrl: string, url: string, cursor: string): string | undefined {
  const next = url.startsWith("/") ? URL.parse(`${baseUrl}${url}`) : null;
  if (next === null) return undefined;
  next.searchParams.set("cursor", cursor);
  return next.href.length <= LINK_CHARS ? `<${next.href}>; rel="next"` : undefined;
}
