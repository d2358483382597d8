// What a browser may do with a page of this board: load its own files, ask its own board, and nothing else.

export const HTML_TYPE = "text/html; charset=utf-8";

/** Whatever a message contains, no script but ours runs, nothing is loaded from elsewhere, and no other site can frame it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
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
  // Other sites learn nothing; this board must, or browsers would hide from it which page a form comes from.
  "referrer-policy": "same-origin",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=(), interest-cohort=()",
  vary: "Accept, Accept-Encoding",
} as const;
