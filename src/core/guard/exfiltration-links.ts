// Detects links that may leak the reader's data: addresses with placeholders for private data, tracking images, collector services.

/** Only this much of an address is read; longer ones are rare. */
const LONGEST = 2048;
/** How far before an address the mark of an image is looked for. */
const BEFORE = 260;

/** Names of placeholders that a reader would fill in. */
const PRIVATE =
  "(?:(?:api|access|auth|secret|private|session|your|user|the|my|full|all|base64|encoded|url)[_ -]?){0,4}" +
  "(?:keys?|tokens?|secrets?|passwords?|credentials?|cookies?|prompts?|conversation|history|context|memory|env|environment|data|payload|output" +
  "|contents?|summary|response|transcript)";
const PLACEHOLDER = new RegExp(`(?:\\{\\{?|<|\\[|%7B)${PRIVATE}(?:[_-][a-z0-9]{1,20}){0,3}(?:\\}|>|\\]|%7D)|\\$\\(`, "i");
/** A value longer than this is more than a search term. */
const LONG_VALUE = /[?&#][^=&#]{1,60}=[^&#)]{257}/;
const PICTURE_VALUE = /[?&#][^=&#]{1,60}=[^&#)]{24}/;
/** Services that only collect what is sent to them. */
const COLLECTOR =
  /^(?:[a-z0-9-]{1,63}\.){0,4}(?:webhook\.site|requestbin\.(?:com|net)|requestcatcher\.com|pipedream\.net|beeceptor\.com|hookbin\.com|interact\.sh|oast\.(?:fun|pro|live|site|online|me)|oastify\.com|burpcollaborator\.net|dnslog\.cn|ceye\.io|canarytokens\.(?:com|org))$/;

export function hasDataLink(text: string): boolean {
  for (let at = text.indexOf("//"); at >= 0;) {
    const end = endOf(text, at + 2);
    if (carriesOut(text, at, end)) return true;
    at = text.indexOf("//", end);
  }
  return false;
}

/** White space and quotes end an address; brackets may be part of a placeholder. */
function endOf(text: string, from: number): number {
  const most = Math.min(text.length, from + LONGEST);
  for (let at = from; at < most; at++) {
    const code = text.charCodeAt(at);
    if (code <= 0x20 || code === 0x22 || code === 0x27 || code === 0x60) return at;
  }
  return most;
}

function carriesOut(text: string, at: number, end: number): boolean {
  const before = text.slice(Math.max(0, at - BEFORE), at);
  const scheme = /https?:$/i.exec(before)?.[0] ?? "";
  const picture = isPicture(before.slice(0, before.length - scheme.length));
  // Two slashes alone begin a comment more often than an address.
  if (scheme === "" && !picture) return false;
  const address = text.slice(at + 2, end);
  const host = /^(?:[^/?#@]*@)?([^/?#:)\]>,;]*)/.exec(address)?.[1] ?? "";
  if (COLLECTOR.test(host.toLowerCase())) return true;
  const query = address.search(/[?#]/);
  if (query < 0) return picture && PLACEHOLDER.test(address);
  const asked = address.slice(query);
  return PLACEHOLDER.test(asked) || LONG_VALUE.test(asked) || (picture && PICTURE_VALUE.test(asked));
}

/** Whether the text before an address makes it an image, in Markdown or HTML, which is fetched automatically. */
function isPicture(before: string): boolean {
  const near = before.trimEnd();
  if (near.endsWith("](") || near.endsWith("](<")) return near.lastIndexOf("![") > near.lastIndexOf("\n");
  return /src\s{0,3}=\s{0,3}["']?$/i.test(near) && near.toLowerCase().lastIndexOf("<img") > near.lastIndexOf(">");
}
