// A protocol server that says in words what is wrong with a request, where the package shows what its schema found.
import {
  type Implementation,
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext,
  type ServerOptions,
  specTypeSchemas,
  type StandardSchemaV1Sync,
} from "@modelcontextprotocol/server";
import { type ErrorBody, Refusal } from "../../core/errors.ts";
import { firstCodePoints } from "../../core/protocol/encoding.ts";
import { typeWords } from "../../core/protocol/payload.ts";

/** What each request is by the protocol, and its `params` as one would write them. */
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
  ["prompts/get", { schema: specTypeSchemas.GetPromptRequest, right: '{"name":…,"arguments":{…}}' }],
  ["tools/list", { schema: specTypeSchemas.ListToolsRequest, right: "{}" }],
  ["resources/list", { schema: specTypeSchemas.ListResourcesRequest, right: "{}" }],
  ["resources/templates/list", { schema: specTypeSchemas.ListResourceTemplatesRequest, right: "{}" }],
  ["prompts/list", { schema: specTypeSchemas.ListPromptsRequest, right: "{}" }],
]);

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

/** The board's error object inside the protocol's. Many clients show nothing but the message, so it has the hint as well. */
export const protocolError = ({ error }: ErrorBody, code = ProtocolErrorCode.InvalidParams, more: object = {}): ProtocolError =>
  new ProtocolError(code, `${error.message} ${error.hint}`.trimEnd(), { ...more, ...error });

/** The package would have its higher server used, which has no place to say anything about requests that do not fit. */
export class WordedServer extends Server {
  readonly #refusalOf: (error: unknown) => ErrorBody;

  constructor(info: Implementation, options: ServerOptions, refusalOf: (error: unknown) => ErrorBody) {
    super(info, options);
    this.#refusalOf = refusalOf;
  }

  /** The package's own place for what is around every handler, also around those it has itself. */
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, handler);
    return async (request, context) => {
      try {
        return await wrapped(request, context);
      } catch (error) {
        const fault = misfit(method, request);
        throw fault === undefined ? error : protocolError(this.#refusalOf(fault));
      }
    };
  }
}

/** What does not fit the form of such a request, if anything. */
function misfit(method: string, request: JSONRPCRequest): Refusal | undefined {
  const form = FORMS.get(method);
  const [issue] = form?.schema["~standard"].validate(request).issues ?? [];
  if (form === undefined || issue === undefined) return undefined;
  // Names of arguments are the caller's, and may be as long as the text.
  const field = firstCodePoints((issue.path ?? []).map((step) => String(typeof step === "object" ? step.key : step)).join("."), 100);
  const [, expected = "", received] = /expected (\w+), received (\w+)/.exec(issue.message) ?? [];
  const rule =
    received === undefined ? "is not what it may be" : received === "undefined" ? "is missing" : `must be ${typeWords(expected)}`;
  return new Refusal("invalid_field", `\`${field}\` ${rule}.`, {
    hint: `Send ${method} with \`params\` like ${form.right}.`,
    details: { field },
  });
}
