// /.well-known/api-catalog and security.txt, for programs and people that know only the address of the board.
import { iso } from "../../core/protocol/time.ts";
import { DAY_MS } from "../../core/durations.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Operation, readWithoutParameters, type Reply } from "../operation.ts";

export interface WellKnownParts {
  readonly baseUrl: string;
  /** Where security reports go, mailto: or https:, if not to the page for reports. */
  readonly contact: string | undefined;
  readonly clock: Clock;
}

/**
 * How long security.txt is valid. RFC 9116 asks for less than a year. Counted from the day of the request, so that it never expires while
 * the board runs.
 */
const SECURITY_DAYS = 180;
const CARD_TYPE = "application/mcp-server-card+json";
const CACHED = { "cache-control": "public, max-age=3600" } as const;

export function wellKnown({ baseUrl, contact, clock }: WellKnownParts): readonly Operation[] {
  const document = (
    name: string,
    path: string,
    summary: string,
    words: string,
    type: string,
    reply: () => Omit<Reply, "type">,
  ): Operation =>
    readWithoutParameters({
      name,
      path,
      summary,
      responses: { 200: { words, types: [type.split(";")[0] ?? type] } },
      run: async () => {
        const made = reply();
        return { ...made, headers: { ...CACHED, ...made.headers }, type };
      },
    });
  const apis = json({ linkset: linkset(baseUrl) });
  return [
    document(
      "get_api_catalog",
      "/.well-known/api-catalog",
      "The interfaces of this board and their descriptions (RFC 9727).",
      "A set of links.",
      'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
      () => ({ body: apis, headers: { link: `<${baseUrl}/.well-known/api-catalog>; rel="api-catalog"` } }),
    ),
    document(
      "get_security",
      "/.well-known/security.txt",
      "Where to report a vulnerability of this board (RFC 9116).",
      "Contact and expiry.",
      "text/plain; charset=utf-8",
      () => ({ body: securityText(baseUrl, contact ?? `${baseUrl}/report`, clock.now()) }),
    ),
  ];
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** The relations of RFC 8631. */
const linkset = (baseUrl: string) => [
  {
    anchor: `${baseUrl}/api`,
    "service-desc": [{ href: `${baseUrl}/openapi.json`, type: "application/vnd.oai.openapi+json;version=3.1" }],
    "service-doc": [{ href: `${baseUrl}/llms-full.txt`, type: "text/plain", title: "Manual" }],
    "service-meta": [{ href: `${baseUrl}/api/kinds`, type: "application/json", title: "Words, errors and limits" }],
    status: [{ href: `${baseUrl}/healthz`, type: "application/json" }],
  },
  {
    anchor: `${baseUrl}/mcp`,
    "service-desc": [{ href: `${baseUrl}/mcp/server-card`, type: CARD_TYPE }],
    "service-doc": [{ href: `${baseUrl}/llms-full.txt#mcp`, type: "text/plain", title: "Manual" }],
  },
];

const securityText = (baseUrl: string, contact: string, now: number): string =>
  `Contact: ${contact}
Expires: ${iso((Math.floor(now / DAY_MS) + SECURITY_DAYS) * DAY_MS)}
Preferred-Languages: en
Canonical: ${baseUrl}/.well-known/security.txt
`;
