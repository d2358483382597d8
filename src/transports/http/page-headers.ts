// The permissions of a page: it may load its own files and call its own board, and nothing else.

export const HTML_TYPE = "text/html; charset=utf-8";

/** Whatever a message contains, only the board's own script runs, nothing is loaded from other sites, and no other site can frame the page. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "manifest-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types board",
].join("; ");

export const PAGE_HEADERS = {
  "content-security-policy": POLICY,
  // Other sites do not get the address of the page. This board gets it, because otherwise browsers would hide which page a form comes from.
  "referrer-policy": "same-origin",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  vary: "Accept, Accept-Encoding",
} as const;
