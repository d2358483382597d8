// A protocol server that explains what is wrong with a request in plain words, instead of the package's schema errors.
import {
  type Implementation,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCErrorResponse,
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerOptions,
  specTypeSchemas,
  type StandardSchemaV1Sync,
  type Transport,
} from "@modelcontextprotocol/server";
import { type ErrorBody, Refusal } from "../../core/errors.ts";
import { firstCodePoints } from "../../core/protocol/encoding.ts";
import { typeWords } from "../../core/protocol/payload.ts";

/** Each request of the protocol, with an example of its `params`. */
const FORMS: ReadonlyMap<string, { readonly schema: StandardSchemaV1Sync; readonly right: string }> = new Map([
  [
    "initialize",
    {
      schema: specTypeSchemas.InitializeRequest,
      right: '{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":…,"version":…}}',
    },
  ],
  ["tools/call", { schema: specTypeSchemas.CallToolRequest, right: '{"name":…,"arguments":{…}}' }],
  ["resources/read", { schema: specTypeSchemas.ReadResourceRequest, right: '{"uri":…}' }],
  ["resources/subscribe", { schema: specTypeSchemas.SubscribeRequest, right: '{"uri":"blackboard://inbox/…"}' }],
  ["resources/unsubscribe", { schema: specTypeSchemas.UnsubscribeRequest, right: '{"uri":"blackboard://inbox/…"}' }],
  ["prompts/get", { schema: specTypeSchemas.GetPromptRequest, right: '{"name":…,"arguments":{…}}' }],
  ["tools/list", { schema: specTypeSchemas.ListToolsRequest, right: "{}" }],
  ["resources/list", { schema: specTypeSchemas.ListResourcesRequest, right: "{}" }],
  ["resources/templates/list", { schema: specTypeSchemas.ListResourceTemplatesRequest, right: "{}" }],
  ["prompts/list", { schema: specTypeSchemas.ListPromptsRequest, right: "{}" }],
]);

/** The board's error object inside the protocol's. Many clients show only the message, so that includes the hint. */
export const protocolError = ({ error }: ErrorBody, code = ProtocolErrorCode.InvalidParams, more: object = {}): ProtocolError =>
  new ProtocolError(code, `${error.message} ${error.hint}`.trimEnd(), { ...more, ...error });

/** Errors of the package's schemas; the board's own have its error object. */
const ABOUT_FORM: ReadonlySet<number> = new Set([ProtocolErrorCode.InvalidParams, ProtocolErrorCode.InternalError]);

export class ExplainingServer extends Server {
  readonly #refusalOf: (error: unknown) => ErrorBody;

  constructor(info: Implementation, options: ServerOptions, refusalOf: (error: unknown) => ErrorBody) {
    super(info, options);
    this.#refusalOf = refusalOf;
  }

  /** The package has no hook for invalid requests, so their errors are replaced when they are sent. */
  override async connect(transport: Transport): Promise<void> {
    await super.connect(transport);
    const asked = new Map<unknown, JSONRPCRequest>();
    const { onmessage: take } = transport;
    const send = transport.send.bind(transport);
    const between: Pick<Transport, "onmessage" | "send"> = {
      onmessage(message, extra) {
        if (isJSONRPCRequest(message)) asked.set(message.id, message);
        else if (isJSONRPCNotification(message) && message.method === "notifications/cancelled")
          asked.delete(message.params?.["requestId"]);
        take?.(message, extra);
      },
      send: (message, options) => {
        if (!isJSONRPCErrorResponse(message) && !isJSONRPCResultResponse(message)) return send(message, options);
        const request = asked.get(message.id);
        asked.delete(message.id);
        return send("error" in message && request !== undefined ? this.#worded(message, request) : message, options);
      },
    };
    Object.assign(transport, between);
  }

  #worded(answer: JSONRPCErrorResponse, request: JSONRPCRequest): JSONRPCErrorResponse {
    const fault = ABOUT_FORM.has(answer.error.code) && answer.error.data === undefined ? misfit(request) : undefined;
    if (fault === undefined) return answer;
    const { code, message, data } = protocolError(this.#refusalOf(fault));
    return { ...answer, error: { code, message, data } };
  }
}

/** The first mistake in the `params` of a request, if there is one. */
function misfit(request: JSONRPCRequest): Refusal | undefined {
  const form = FORMS.get(request.method);
  const [issue] = form?.schema["~standard"].validate(request).issues ?? [];
  if (form === undefined || issue === undefined) return undefined;
  const path = (issue.path ?? []).map((step) => (typeof step === "object" ? step.key : step));
  // Names of arguments come from the caller and may be very long.
  const field = firstCodePoints(path.map(String).join("."), 100);
  return new Refusal("invalid_field", `\`${field}\` ${ruleOf(issue, valueAt(request, path))}.`, {
    hint: `Send ${request.method} with \`params\` like ${form.right}.`,
    details: { field },
  });
}

/** The expected type, as the package's schemas name it. */
function ruleOf(issue: object, value: unknown): string {
  if (value === undefined) return "is missing";
  return "expected" in issue ? `must be ${typeWords(String(issue.expected))}` : "has a wrong type";
}

const valueAt = (from: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce((value, key) => (value as Partial<Record<PropertyKey, unknown>> | null | undefined)?.[key], from);
