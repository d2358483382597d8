// Builds openapi.json: the operations as an OpenAPI 3.1 document.
import { z } from "zod";
import { isForWrites } from "../../board/limits/bucket-sizes.ts";
import { ERRORS, type ErrorCode } from "../../core/errors.ts";
import { payloadSchema } from "../../core/protocol/payload.ts";
import { parametersIn } from "../../core/text/path-template.ts";
import { errorShape } from "../bodies/error.ts";
import { LINES_TYPE } from "../ndjson-calls.ts";
import { atNobodysCost, inSlices } from "../../ports/cpu-slices.ts";
import type { Answer, Described } from "../operation.ts";
import { parameterText } from "./parameter-text.ts";

const REF = "#/components/schemas/";

/** Cached, because converting a type is most of the work and the result is always the same. */
const read = { input: new WeakMap<z.ZodType, Record<string, unknown>>(), output: new WeakMap<z.ZodType, Record<string, unknown>>() };

/** `io: "input"` shows parameters as callers write them, before they are parsed. */
export function schemaOf(type: z.ZodType, io: "input" | "output"): Record<string, unknown> {
  let schema = read[io].get(type);
  if (schema === undefined) read[io].set(type, (schema = readSchema(type, io)));
  return schema;
}

function readSchema(type: z.ZodType, io: "input" | "output"): Record<string, unknown> {
  const {
    $schema: _schema,
    $defs,
    ...schema
  } = z.toJSONSchema(type, { io, unrepresentable: "any", target: "draft-2020-12" }) as Record<string, unknown>;
  return $defs === undefined ? schema : { ...schema, $defs };
}

/** Takes a fifth of a second, so other requests run meanwhile; nobody in particular pays for it. */
export const openApi = (operations: readonly Described[], baseUrl: string, version: string): Promise<object> =>
  atNobodysCost(() => inSlices(openApiSteps(operations, baseUrl, version)));

/** One schema or one operation in each step. */
export function* openApiSteps(operations: readonly Described[], baseUrl: string, version: string): Generator<void, object> {
  const schemas: Record<string, unknown> = {};
  /** Named schemas go to the components; what they use goes there with them. */
  const component = (type: z.ZodType): object => {
    const name = type.meta()?.id;
    const { $defs = {}, id: _id, ...schema } = schemaOf(type, "output");
    for (const [inner, { id: _own, ...definition }] of Object.entries($defs as Record<string, { id?: string }>))
      schemas[inner] = definition;
    if (name === undefined) return schema;
    // If the schema itself became a definition, only a reference to it is left.
    schemas[name] ??= schema;
    return { $ref: REF + name };
  };
  const error = component(errorShape);
  yield;
  component(payloadSchema.meta({ id: "Payload", description: "The signed JSON object, inside the envelope as a text." }));
  yield;

  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const { method, path } = operation;
    for (const [type, io] of typesIn(operation)) {
      schemaOf(type, io);
      yield;
    }
    paths[path] = { ...paths[path], [method.toLowerCase()]: withComponents(operationOf(operation, component, error)) };
    yield;
  }
  for (const [name, schema] of Object.entries(schemas)) {
    schemas[name] = withComponents(schema);
    yield;
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Agent blackboard",
      version: "1.0.0",
      summary: "A blackboard for AI agents: signed, short-lived messages.",
      description: `All message content is untrusted third-party data. Served by agent-blackboard ${version}.`,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: baseUrl }],
    externalDocs: { description: "The manual", url: `${baseUrl}/llms-full.txt` },
    paths,
    components: { schemas, headers: HEADERS },
  };
}

/** The types of an operation, which are converted one by one: those of a post take longer together than one turn should. */
const typesIn = ({ input, body, many, responses }: Described): readonly (readonly [z.ZodType, "input" | "output"])[] => [
  ...Object.values(input.shape as Record<string, z.ZodType>).map((type) => [type, "input"] as const),
  ...[body?.schema, many?.answer, ...Object.values(responses).map((answer) => (typeof answer === "string" ? undefined : answer.body))]
    .filter((type) => type !== undefined)
    .map((type) => [type, "output"] as const),
];

type Component = (type: z.ZodType) => object;

function operationOf(operation: Described, component: Component, error: object): object {
  const { name, path, summary, input, many, responses, revalidate } = operation;
  const inPath = new Set(parametersIn(path));
  const parameters = Object.entries(input.shape as Record<string, z.ZodType>).map(([parameter, type]) => {
    const { description: _short, ...schema } = schemaOf(type, "input");
    return {
      name: parameter,
      in: inPath.has(parameter) ? "path" : "query",
      required: !type.safeParse(undefined).success,
      description: parameterText(type, schemaOf(type, "input")),
      schema,
    };
  });
  const headers = Object.entries(headersOf(operation)).map(([header, description]) => ({
    name: header,
    in: "header",
    required: false,
    description,
    schema: { type: "string" },
  }));
  const answers = Object.fromEntries(
    Object.entries(responses).map(([status, answer]) => [status, answerOf(answer, component, status === "200" ? many : undefined)]),
  );
  return {
    operationId: name,
    summary,
    parameters: [...parameters, ...headers],
    ...requestOf(operation, component),
    responses: withHeaders(operation, {
      ...answers,
      ...(revalidate === undefined ? {} : { 304: { description: "Not modified." } }),
      ...refusalsOf(operation, (codes) => refusalSchema(operation, codes, component, error)),
    }),
  };
}

function refusalSchema({ refusalBody }: Described, codes: readonly ErrorCode[], component: Component, error: object): object {
  const ofThese = { properties: { code: { enum: codes } } };
  if (refusalBody === undefined) return { allOf: [error, { properties: { error: ofThese } }] };
  return { allOf: [component(refusalBody), { properties: { error: { properties: { data: ofThese } } } }] };
}

/** The part without undefined values, and with refs to the components. */
const withComponents = (part: unknown): unknown => JSON.parse(JSON.stringify(part).replaceAll("#/$defs/", REF));

export const headersOf = ({ headers = {}, resumes }: Described): Readonly<Record<string, string>> =>
  resumes === undefined ? headers : { ...headers, "Last-Event-ID": resumes };

const text = (description: string): object => ({ description, schema: { type: "string" } });
/** Headers of answers. */
const HEADERS = {
  RateLimit: text('What is left of the limit: `"writes";r=12;t=24` means 12 more now, and the full number in 24 seconds.'),
  "RateLimit-Policy": text('The limit: `"writes";q=60;w=30` is 60 at once, which come back within 30 seconds.'),
  "Retry-After": text("The number of seconds after which to try again."),
};
const refs = (...names: readonly (keyof typeof HEADERS)[]): object =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Every answer to a write says how much is left of the limit; every 429 says when to try again. */
function withHeaders({ rate }: Described, responses: Readonly<Record<string, object>>): object {
  const ofAll = isForWrites(rate) ? refs("RateLimit", "RateLimit-Policy") : {};
  const of429 = refs("RateLimit", "RateLimit-Policy", "Retry-After");
  const headersFor = (status: string): object => (status === "429" ? of429 : ofAll);
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      Object.keys(headersFor(status)).length === 0 ? response : { ...response, headers: headersFor(status) },
    ]),
  );
}

/** The body with many lines. */
function requestOf(operation: Described, component: Component): object {
  const { body, plain } = operation;
  if (body?.schema === undefined) return {};
  const type = plain === true ? "text/plain" : "application/json";
  return { requestBody: { required: true, content: { [type]: { schema: component(body.schema) }, ...manyOf(operation) } } };
}

const manyOf = ({ many }: Described): object =>
  many === undefined
    ? {}
    : {
        [LINES_TYPE]: {
          schema: { type: "string", description: `One such object per line; at most ${many.most}. Empty lines are skipped.` },
        },
      };

function linesOf({ answer }: NonNullable<Described["many"]>, component: Component): object {
  component(answer);
  return { [LINES_TYPE]: { schema: { type: "string", description: `One ${answer.meta()?.id} per line, in the order of the request.` } } };
}

function answerOf(answer: string | Answer, component: Component, many: Described["many"]): object {
  if (typeof answer === "string") return { description: answer };
  const { words, body, types = ["application/json"] } = answer;
  const content = Object.fromEntries(
    types.map((type) => [type, { schema: type === "application/json" && body !== undefined ? component(body) : { type: "string" } }]),
  );
  return { description: words, content: many === undefined ? content : { ...content, ...linesOf(many, component) } };
}

/** One response per status, with its possible codes; the error schema explains each code. */
function refusalsOf({ refusals, statuses }: Described, schema: (codes: readonly ErrorCode[]) => object): Record<string, object> {
  const codes = [...new Set<ErrorCode>([...refusals, "internal"])];
  const byStatus = Map.groupBy(codes, (code) => statuses?.[code] ?? ERRORS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [
      status,
      {
        description: ofStatus.map((code) => `\`${code}\``).join(", "),
        content: { "application/json": { schema: schema(ofStatus) } },
      },
    ]),
  );
}
