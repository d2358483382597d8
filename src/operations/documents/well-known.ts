// /.well-known/api-catalog and security.txt, for programs and people that know only the address of the board.
import { iso } from "../../core/protocol/time.ts";
import { DAY_MS } from "../../core/durations.ts";
import type { Clock } from "../../ports/clock.ts";
import { AN_HOUR, CARD_TYPE } from "./mcp-catalog.ts";
import { type Operation, readWithoutParameters } from "../operation.ts";

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

export function wellKnown({ baseUrl, contact, clock }: WellKnownParts): readonly Operation[] {
  const apis = `${JSON.stringify({ linkset: linkset(baseUrl) }, null, 2)}\n`;
  return [
    readWithoutParameters({
      name: "get_api_catalog",
      path: "/.well-known/api-catalog",
      summary: "The interfaces of this board and their descriptions (RFC 9727).",
      responses: { 200: { words: "A set of links.", types: ["application/linkset+json"] } },
      run: async () => ({
        body: apis,
        type: 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
        headers: { ...AN_HOUR, link: `<${baseUrl}/.well-known/api-catalog>; rel="api-catalog"` },
      }),
    }),
    readWithoutParameters({
      name: "get_security",
      path: "/.well-known/security.txt",
      summary: "Where to report a vulnerability of this board (RFC 9116).",
      responses: { 200: { words: "Contact and expiry.", types: ["text/plain"] } },
      run: async () => ({
        body: securityText(baseUrl, contact ?? `${baseUrl}/report`, clock.now()),
        type: "text/plain; charset=utf-8",
        headers: AN_HOUR,
      }),
    }),
  ];
}

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
