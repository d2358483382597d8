// The board as an MCP server, for one request or one connection: tools, resources and prompts over a context.
import { type CallToolResult, type ProtocolError, ProtocolErrorCode, type ServerOptions } from "@modelcontextprotocol/server";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv";
import { ERRORS, type ErrorBody, Refusal } from "../../core/errors.ts";
import { flag } from "../../core/query/forms.ts";
import { closestName } from "../../core/text/did-you-mean.ts";
import { asTexts } from "./arguments-as-texts.ts";
import { unknownParameter } from "../../operations/input.ts";
import { withJoint } from "../../core/view/fence.ts";
import { careMeta } from "./untrusted-result-warnings.ts";
import type { Arguments, ToolContext } from "./tool-context.ts";
import { errorWithoutKeys, withoutKeys } from "./redact-keys.ts";
import { PROMPTS, promptText } from "./prompts.ts";
import { readResource, RESOURCE_TEMPLATES, RESOURCES } from "./resources.ts";
import { refusalText } from "./text.ts";
import { inToolWords } from "./tool-refusals.ts";
import type { Tool, ToolOutcome } from "./tools/tool.ts";
import { protocolError, ExplainingServer } from "./explaining-server.ts";

/** The tools by name, and the answer to tools/list. */
export interface ToolSet {
  readonly known: ReadonlyMap<string, Tool>;
  readonly listed: { readonly tools: ReturnType<typeof listing>[] };
}

export const toolSet = (tools: readonly Tool[]): ToolSet => ({
  known: new Map(tools.map((tool) => [tool.name, tool])),
  listed: { tools: tools.map(listing) },
});

/** The parts that are the same for all requests, made once. */
export interface Surface {
  readonly name: string;
  readonly version: string;
  readonly websiteUrl: string;
  readonly instructions: string;
  readonly tools: () => Promise<ToolSet>;
  /** Turns anything that was thrown into the error object that HTTP would send. */
  readonly refusalOf: (error: unknown) => ErrorBody;
}

/** `gone` is aborted when the caller disconnects or cancels the request. */
export type ToolContextFor = (gone: AbortSignal) => ToolContext;

const LISTS_MS = 300_000;
const listed = { ttlMs: LISTS_MS, cacheScope: "public" } as const;
const OPTIONS: ServerOptions = {
  capabilities: {},
  // Made once: each costs more than most requests.
  jsonSchemaValidator: new AjvJsonSchemaValidator(),
  cacheHints: {
    "server/discover": listed,
    "tools/list": listed,
    "prompts/list": listed,
    "resources/list": listed,
    "resources/templates/list": listed,
    "resources/read": { ttlMs: 0, cacheScope: "public" },
  },
};

/** `subscribable`: whether changes can be sent to the client, on a lasting connection or a separate stream. */
export type ServerFor = (contextFor: ToolContextFor, subscribable: boolean) => ExplainingServer;

export function surfaceServer(surface: Surface): ServerFor {
  const { name, version, websiteUrl, instructions } = surface;
  const refusalOf = (error: unknown): ErrorBody => errorWithoutKeys(surface.refusalOf(error));
  const promptList = {
    prompts: PROMPTS.map(({ name: prompt, description, arguments: given }) => ({ name: prompt, description, arguments: [...given] })),
  };

  return (contextFor, subscribable) => {
    const server = new ExplainingServer({ name, title: "Agent blackboard", version, websiteUrl }, { ...OPTIONS, instructions }, refusalOf);
    // Own handlers, so that lists are not rebuilt for each request, and refusals are the board's.
    server.registerCapabilities({ tools: {}, resources: subscribable ? { subscribe: true } : {}, prompts: {} });
    server.setRequestHandler("tools/list", async () => {
      const { listed: tools } = await surface.tools().catch((error: unknown) => {
        throw protocolError(refusalOf(error), ProtocolErrorCode.InternalError);
      });
      return tools;
    });
    server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
      const context = contextFor(mcpReq.signal);
      const structured = mcpReq._meta?.[STRUCTURED] === true;
      const offered = await surface.tools().catch(refusalOf);
      if ("error" in offered) return refusedCall(offered, context, structured);
      const tool = offered.known.get(params.name);
      if (tool === undefined) throw protocolError(refusalOf(nothingNamed("tool", params.name, [...offered.known.keys()])));
      return callTool(tool, params.arguments ?? {}, context, { refusalOf, structured });
    });
    server.setRequestHandler("resources/list", () => ({ resources: RESOURCES }));
    server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: RESOURCE_TEMPLATES }));
    server.setRequestHandler("resources/read", async ({ params: { uri } }, { mcpReq }) => {
      const read = await readResource(uri, contextFor(mcpReq.signal)).catch((error: unknown) => {
        throw resourceFault(uri, refusalOf(error));
      });
      if (read === undefined) throw resourceFault(uri, refusalOf(nothingNamed("resource", uri, ADDRESSES)));
      const { content, body } = read;
      const care = careMeta(body, content.text);
      return { contents: [{ ...content, ...(care === undefined ? {} : { _meta: { ...care } }) }] };
    });
    server.setRequestHandler("prompts/list", () => promptList);
    server.setRequestHandler("prompts/get", ({ params }) => {
      const prompt = PROMPTS.find((one) => one.name === params.name);
      if (prompt === undefined) throw protocolError(refusalOf(nothingNamed("prompt", params.name, promptNames)));
      const given = params.arguments ?? {};
      const missing = prompt.arguments.find((one) => one.required === true && given[one.name] === undefined);
      if (missing !== undefined) throw protocolError(refusalOf(missingArgument(missing.name)));
      return { description: prompt.description, messages: [{ role: "user", content: { type: "text", text: promptText(prompt, given) } }] };
    });
    return server;
  };
}

const promptNames = PROMPTS.map(({ name }) => name);
const ADDRESSES = [...RESOURCES.map(({ uri }) => uri), ...RESOURCE_TEMPLATES.map(({ uriTemplate }) => uriTemplate)];

function nothingNamed(what: string, name: string, known: readonly string[]): Refusal {
  const near = closestName(name, known);
  const meant = near === undefined ? "" : `Did you mean ${near}? `;
  return new Refusal("not_found", `There is no ${what} ${JSON.stringify(name.slice(0, 60))}.`, {
    hint: `${meant}There are: ${known.join(", ")}.`,
  });
}

const missingArgument = (name: string): Refusal =>
  new Refusal("invalid_field", `The argument ${name} is missing.`, {
    hint: `Send prompts/get with \`arguments\` like {"${name}":…}.`,
    details: { field: `params.arguments.${name}` },
  });

/**
 * Without output schemas: a tool that has one must answer twice, as text and as JSON. In the JSON, strangers' text would not be between
 * marker lines.
 */
const listing = ({ name, description, input, changes }: Tool) => ({
  name,
  description,
  inputSchema: input as { type: "object" },
  // Clients assume an open world by default.
  annotations: {
    ...(changes === undefined ? { readOnlyHint: true } : { readOnlyHint: false, destructiveHint: changes === "replaces" }),
    // A tool that writes may answer with text of strangers too: work that was taken, similar titles, the statement in a refusal.
    untrustedContentHint: true,
  },
});

/** In `_meta` of a call: whether the answer should also be sent as JSON. */
export const STRUCTURED = "agent-blackboard/structured";

interface Answering {
  readonly refusalOf: Surface["refusalOf"];
  readonly structured: boolean;
}

/** An argument of every tool, explained once in the instructions: whether blanks in strangers' text are replaced by a mark. */
const MARK = "mark";

async function callTool(tool: Tool, asked: Arguments, plain: ToolContext, { refusalOf, structured }: Answering): Promise<CallToolResult> {
  const { [MARK]: mark, ...given } = asked;
  let context = plain;
  try {
    if (isMarked(mark)) context = { ...plain, marks: withJoint(plain.marks) };
    const names = Object.keys(tool.input["properties"] as object);
    const unknown = Object.keys(given).find((name) => !names.includes(name) && tool.also?.includes(name) !== true);
    if (unknown !== undefined) throw unknownParameter(unknown, names);
    return answeredCall(await tool.run(given, context), structured);
  } catch (error) {
    return refusedCall(refusalOf(error), context, structured);
  }
}

/** Refuses anything that is not clearly yes or no: text that was not marked must not be taken for text that was. */
function isMarked(mark: unknown): boolean {
  const { [MARK]: text } = asTexts({ [MARK]: mark });
  const read = flag.optional().safeParse(text);
  if (read.success) return read.data ?? false;
  throw new Refusal("invalid_parameter", `\`${MARK}\` must be true or false.`, {
    hint: "With true, blanks in strangers' text are replaced by a mark.",
    details: { parameter: MARK },
  });
}

function answeredCall({ body, text, sources = body }: ToolOutcome, structured: boolean): CallToolResult {
  const care = careMeta(sources, text);
  return {
    content: [{ type: "text", text }],
    ...(structured ? { structuredContent: { ...body } } : {}),
    ...(care === undefined ? {} : { _meta: { ...care } }),
  };
}

function refusedCall(refusal: ErrorBody, { marks }: ToolContext, structured: boolean): CallToolResult {
  const body = inToolWords(refusal);
  return { ...answeredCall({ body: { ...body }, text: refusalText(body, marks) }, structured), isError: true };
}

const NOT_THERE = new Set([404, 410]);

function resourceFault(uri: string, { error }: ErrorBody): ProtocolError {
  // Beside the board's own codes there are those of a client that cannot reach it.
  const { status }: { status: number } = (ERRORS as Partial<typeof ERRORS>)[error.code] ?? ERRORS.storage_unavailable;
  // The protocol requires the address of the missing resource.
  const absent = NOT_THERE.has(status) || error.code === "expired" || error.code === "retracted";
  const code = status >= 500 ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
  return protocolError({ error }, code, absent ? { uri: withoutKeys(uri.slice(0, 400)) } : {});
}
