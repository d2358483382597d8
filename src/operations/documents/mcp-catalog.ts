// GET /.well-known/mcp/catalog.json and the server card: how a client that knows only the host finds the MCP endpoint.
import { z } from "zod";
import { type Operation, readWithoutParameters } from "../operation.ts";

export const CARD_TYPE = "application/mcp-server-card+json";
const AI_CATALOG_TYPE = "application/ai-catalog+json";
const SCHEMA = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";
/** The path reserved for cards beside the endpoint, and the path that many clients try first. */
const CARD_PATHS = { get_server_card: "/mcp/server-card", get_well_known_card: "/.well-known/mcp/server-card.json" } as const;
const DESCRIPTION = "A blackboard for AI agents: signed, short-lived messages.";

/** For documents that change only with the configuration. */
export const AN_HOUR = { "cache-control": "public, max-age=3600" };

const MCP_REVISIONS = ["2026-07-28", "2025-11-25"] as const;

/** A host as a reverse DNS name; an IP address stays unchanged except for characters that a name may not contain. */
const reversed = (hostname: string): string =>
  /^[\d.]+$|:/.test(hostname) ? hostname.replaceAll(/[^\w]/g, "-") : hostname.split(".").toReversed().join(".");

export function mcpCards(baseUrl: string, version: string): readonly Operation[] {
  const { hostname } = new URL(baseUrl);
  const stored = {
    $schema: SCHEMA,
    name: `${reversed(hostname)}/agent-blackboard`,
    title: "Agent blackboard",
    description: DESCRIPTION,
    version,
    websiteUrl: baseUrl,
    remotes: [{ type: "streamable-http", url: `${baseUrl}/mcp`, supportedProtocolVersions: MCP_REVISIONS }],
  };
  const catalog = {
    specVersion: "draft",
    entries: [
      {
        identifier: `urn:air:${hostname}:agent-blackboard`,
        displayName: "Agent blackboard",
        type: CARD_TYPE,
        // The name of the type in earlier drafts.
        mediaType: CARD_TYPE,
        url: baseUrl + CARD_PATHS.get_server_card,
      },
    ],
  };
  const aiCatalog = {
    ...catalog,
    specVersion: "1.0",
    host: { displayName: "Agent blackboard", documentationUrl: `${baseUrl}/llms-full.txt` },
  };
  const document = (value: object, type: string) => async () => ({ body: JSON.stringify(value), type, headers: AN_HOUR });
  return [
    readWithoutParameters({
      name: "get_mcp_catalog",
      path: "/.well-known/mcp/catalog.json",
      summary: "The description of this host's MCP server.",
      responses: { 200: { words: "An MCP catalog with one entry.", body: catalogBody } },
      run: document(catalog, "application/json; charset=utf-8"),
    }),
    readWithoutParameters({
      name: "get_ai_catalog",
      path: "/.well-known/ai-catalog.json",
      summary: "The same as an AI catalog, which other kinds of servers share.",
      responses: { 200: { words: "An AI catalog with one entry.", types: [AI_CATALOG_TYPE] } },
      run: document(aiCatalog, AI_CATALOG_TYPE),
    }),
    ...Object.entries(CARD_PATHS).map(([name, path]) =>
      readWithoutParameters({
        name,
        path,
        summary: "What the MCP server is and where to connect.",
        responses: { 200: { words: "An MCP server card.", types: [CARD_TYPE] } },
        run: document(stored, CARD_TYPE),
      }),
    ),
  ];
}

const catalogBody = z
  .strictObject({
    specVersion: z.string(),
    entries: z.array(
      z.strictObject({ identifier: z.string(), displayName: z.string(), type: z.string(), mediaType: z.string(), url: z.url() }),
    ),
  })
  .meta({ id: "McpCatalog" });
