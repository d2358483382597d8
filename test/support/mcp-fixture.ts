// The server that the conformance runner requires, with its fictional tools, resources and prompts, served through the board's own route.
import { setTimeout as pause } from "node:timers/promises";
import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  fromJsonSchema,
  type InputRequests,
  McpServer,
  ResourceTemplate,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
const text = (said: string) => ({ type: "text" as const, text: said });
const image = { type: "image" as const, data: PNG, mimeType: "image/png" };
const says = (said: string) => ({ content: [text(said)] });
const resource = (uri: string, mimeType: string, said: string) => ({ type: "resource" as const, resource: { uri, mimeType, text: said } });

const states = createRequestStateCodec<string>({ key: "a key that is used in this one test only" });

const able = ({ mcpReq }: ServerContext) =>
  ((mcpReq.envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? {}) as {
    sampling?: object;
    elicitation?: object;
  };

const asks = (message: string, properties: Record<string, { type: "string" } | { type: "boolean" }>) => ({
  method: "elicitation/create" as const,
  params: { mode: "form" as const, message, requestedSchema: { type: "object" as const, properties, required: Object.keys(properties) } },
});
const samples = (said: string, maxTokens: number) => ({
  method: "sampling/createMessage" as const,
  params: { messages: [{ role: "user" as const, content: text(said) }], maxTokens },
});
const NAME = asks("What is your name?", { name: { type: "string" } });
const ROOTS = { method: "roots/list" as const, params: {} };
const needs = (inputRequests: InputRequests, requestState?: string) => ({
  resultType: "input_required" as const,
  inputRequests,
  ...(requestState === undefined ? {} : { requestState }),
});

type Given = { action?: string; content?: Record<string, unknown>; roots?: { uri: string }[] } & Record<string, unknown>;
const answers = ({ mcpReq }: ServerContext) => (mcpReq.inputResponses ?? {}) as Record<string, Given | undefined>;
const field = (answer: Given | undefined, name: string): string | undefined => {
  const value = answer?.content?.[name];
  return typeof value === "string" ? value : undefined;
};

export function fixtureServer(): McpServer {
  const server = new McpServer(
    { name: "conformance-fixture", version: "1.0.0" },
    {
      // As on the board: its lists do not change while it runs.
      capabilities: {
        completions: {},
        logging: {},
        tools: { listChanged: false },
        prompts: { listChanged: false },
        resources: { listChanged: false },
      },
      requestState: { verify: (state, ctx) => states.verify(state, ctx) },
      cacheHints: { "tools/list": { ttlMs: 1000, cacheScope: "public" } },
    },
  );
  addTools(server);
  addInputTools(server);
  addResources(server);
  addPrompts(server);
  return server;
}

function addTools(server: McpServer): void {
  const tool = (name: string, run: (ctx: ServerContext) => ReturnType<Parameters<typeof server.registerTool>[2]>) =>
    server.registerTool(name, { description: name, inputSchema: z.object({}) }, (_given: object, ctx: ServerContext) => run(ctx));
  tool("test_simple_text", () => says("This is a simple text response for testing."));
  tool("test_image_content", () => ({ content: [image] }));
  tool("test_audio_content", () => ({ content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }] }));
  tool("test_embedded_resource", () => ({
    content: [resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
  }));
  tool("test_multiple_content_types", () => ({
    content: [
      text("Multiple content types test:"),
      image,
      resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
  }));
  tool("test_error_handling", () => ({ ...says("This tool intentionally returns an error for testing"), isError: true }));
  tool("test_tool_with_logging", async ({ mcpReq }) => {
    for (const said of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await mcpReq.log("info", said);
      await pause(20);
    }
    return says("done");
  });
  tool("test_tool_with_progress", async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
      await pause(20);
    }
    return says("done");
  });
  tool("test_missing_capability", () => needs({ greeting: samples("Generate a greeting", 50) }));
  tool("test_streaming_elicitation", () => needs({ user_name: NAME }));
  tool("test_logging_tool", async ({ mcpReq }) => {
    await mcpReq.log("info", "Nobody asked for this.");
    return says("done");
  });
  server.registerTool(
    "json_schema_2020_12_tool",
    { description: "A schema with all the words of its language.", inputSchema: fromJsonSchema(RICH_SCHEMA) },
    () => says("done"),
  );
  server.registerTool(
    "test_custom_header",
    {
      description: "One argument is repeated in a header.",
      inputSchema: fromJsonSchema({
        type: "object",
        properties: { region: HEADER_REGION },
        required: ["region"],
      }),
    },
    () => says("done"),
  );
}

/** A keyword of MCP, not of JSON Schema. */
const HEADER_REGION = { type: "string", "x-mcp-header": "Region" } as { type: "string" };

const RICH_SCHEMA = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // oxlint-disable-next-line unicorn/no-thenable -- a word of JSON Schema
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

function addInputTools(server: McpServer): void {
  const tool = (name: string, run: (ctx: ServerContext) => ReturnType<Parameters<typeof server.registerTool>[2]>) =>
    server.registerTool(
      `test_input_required_result_${name}`,
      { description: name, inputSchema: z.object({}) },
      (_given: object, ctx: ServerContext) => run(ctx),
    );
  tool("elicitation", (ctx) => {
    const name = field(answers(ctx)["user_name"], "name");
    return name === undefined ? needs({ user_name: NAME }) : says(`Hello, ${name}!`);
  });
  tool("sampling", (ctx) => {
    const answer = answers(ctx)["capital_question"];
    return answer === undefined
      ? needs({ capital_question: samples("What is the capital of France?", 100) })
      : says(JSON.stringify(answer));
  });
  tool("list_roots", (ctx) => {
    const roots = answers(ctx)["client_roots"]?.roots;
    return roots === undefined ? needs({ client_roots: ROOTS }) : says(roots.map(({ uri }) => uri).join());
  });
  const confirm = { confirm: asks("Please confirm", { ok: { type: "boolean" } }) };
  for (const name of ["request_state", "tampered_state"])
    tool(name, async (ctx) => {
      const confirmed = ctx.mcpReq.requestState<string>() === "first" && answers(ctx)["confirm"] !== undefined;
      return confirmed ? says("state-ok") : needs(confirm, await states.mint("first"));
    });
  tool("multiple_inputs", async (ctx) => {
    const { user_name: name, greeting, client_roots: roots } = answers(ctx);
    if (name !== undefined && greeting !== undefined && roots !== undefined) return says("All there.");
    return needs({ user_name: NAME, greeting: samples("Generate a greeting", 50), client_roots: ROOTS }, await states.mint("all"));
  });
  tool("multi_round", async (ctx) => {
    const round = ctx.mcpReq.requestState<string>();
    const { step1, step2 } = answers(ctx);
    if (round === "two" && step2 !== undefined) return says("Both steps are done.");
    if (round === "one" && step1 !== undefined)
      return needs({ step2: asks("Step 2: What is your favorite color?", { color: { type: "string" } }) }, await states.mint("two"));
    return needs({ step1: asks("Step 1: What is your name?", { name: { type: "string" } }) }, await states.mint("one"));
  });
  tool("capabilities", (ctx) => {
    const { sampling, elicitation } = able(ctx);
    return needs({
      ...(sampling === undefined ? {} : { greeting: samples("Generate a greeting", 50) }),
      ...(elicitation === undefined ? {} : { user_name: NAME }),
    });
  });
}

function addResources(server: McpServer): void {
  server.registerResource("static-text", "test://static-text", { description: "A text.", mimeType: "text/plain" }, () => ({
    contents: [{ uri: "test://static-text", mimeType: "text/plain", text: "This is the content of the static text resource." }],
  }));
  server.registerResource("static-binary", "test://static-binary", { description: "A picture.", mimeType: "image/png" }, () => ({
    contents: [{ uri: "test://static-binary", mimeType: "image/png", blob: PNG }],
  }));
  const template = new ResourceTemplate("test://template/{id}/data", { list: undefined });
  server.registerResource("template", template, { description: "Data by id.", mimeType: "application/json" }, ({ href }, { id }) => ({
    contents: [
      { uri: href, mimeType: "application/json", text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }) },
    ],
  }));
  server.server.setRequestHandler("completion/complete", () => ({ completion: { values: ["testing"], total: 1, hasMore: false } }));
}

function addPrompts(server: McpServer): void {
  const user = <Content>(content: Content) => ({ role: "user" as const, content });
  server.registerPrompt("test_simple_prompt", { description: "Simple." }, () => ({
    messages: [user(text("This is a simple prompt for testing."))],
  }));
  server.registerPrompt(
    "test_prompt_with_arguments",
    { description: "Two arguments.", argsSchema: z.object({ arg1: z.string(), arg2: z.string() }) },
    ({ arg1, arg2 }) => ({ messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))] }),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "Embeds a resource.", argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => ({
      messages: [
        user(resource(resourceUri, "text/plain", "Embedded resource content for testing.")),
        user(text("Please process the embedded resource above.")),
      ],
    }),
  );
  server.registerPrompt("test_prompt_with_image", { description: "Shows a picture." }, () => ({
    messages: [user(image), user(text("Please analyze the image above."))],
  }));
  server.registerPrompt("test_input_required_result_prompt", { description: "Asks back." }, (ctx: ServerContext) => {
    const context = field(answers(ctx)["user_context"], "context");
    if (context === undefined) return needs({ user_context: asks("What context should the prompt use?", { context: { type: "string" } }) });
    return { messages: [user(text(`With ${context}`))] };
  });
}
