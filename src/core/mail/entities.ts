// Character references of HTML: numbers, Latin-1 by name, and the few others that mail programs write.

/** The names of U+00A0 to U+00FF, in order. */
const LATIN =
  `nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil
  sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute
  Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde
  auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave
  uacute ucirc uuml yacute thorn yuml`.split(/\s+/);

const NAMED: ReadonlyMap<string, string> = new Map([
  ...LATIN.map((name, i): [string, string] => [name, String.fromCodePoint(0xa0 + i)]),
  ...Object.entries({
    amp: "&",
    lt: "<",
    gt: ">",
    quot: '"',
    apos: "'",
    ndash: "\u2013",
    mdash: "\u2014",
    lsquo: "\u2018",
    rsquo: "\u2019",
    sbquo: "\u201a",
    ldquo: "\u201c",
    rdquo: "\u201d",
    bdquo: "\u201e",
    bull: "\u2022",
    hellip: "\u2026",
    euro: "\u20ac",
    trade: "\u2122",
    larr: "\u2190",
    rarr: "\u2192",
    minus: "\u2212",
    ensp: "\u2002",
    emsp: "\u2003",
    thinsp: "\u2009",
    zwnj: "",
    zwj: "\u200d",
  }),
  // A reader of plain text has no use for a no-break space or a soft hyphen.
  ["nbsp", " "],
  ["shy", ""],
]);

export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z][a-zA-Z0-9]{1,7}));/g, (whole, decimal, hex, name) => {
    if (typeof name === "string") return NAMED.get(name) ?? whole;
    return character(typeof hex === "string" ? Number.parseInt(hex, 16) : Number(decimal));
  });
}

function character(code: number): string {
  const surrogate = code >= 0xd800 && code <= 0xdfff;
  return code === 0 || surrogate || code > 0x10ffff ? "\ufffd" : String.fromCodePoint(code);
}
