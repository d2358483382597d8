// openapi.json: the operations, read as an OpenAPI 3.1 document.
import { z } from "zod";
import { isForWrites } from "../../board/limits/buckets.ts";
import { ERRORS, type ErrorCode } from "../../core/errors.ts";
import { payloadSchema } from "../../core/protocol/payload.ts";
import { errorShape } from "../bodies/error.ts";
import { LINES_TYPE } from "../lines.ts";
import type { Answer, Described } from "../operation.ts";

const REF = "#/components/schemas/";

/** A type means the same in every document; reading it is most of the work of making one. */
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

export function openApi(operations: readonly Described[], baseUrl: string, version: string): object {
  const schemas: Record<string, unknown> = {};
  /** Named schemas go to the components; what they use goes there with them. */
  const component = (type: z.ZodType): object => {
    const name = type.meta()?.id;
    const { $defs, id: _id, ...schema } = schemaOf(type, "output");
    for (const [inner, definition] of Object.entries(($defs ?? {}) as Record<string, object>)) schemas[inner] = withoutId(definition);
    if (name === undefined) return schema;
    // Where the schema itself came as a definition, what is left of it only refers there.
    schemas[name] ??= schema;
    return { $ref: REF + name };
  };
  const error = component(errorShape);
  component(payloadSchema.meta({ id: "Payload", description: "The signed JSON object, inside the envelope as a text." }));

  const refusalSchema = ({ refusalBody }: Described, codes: readonly ErrorCode[]): object => {
    const ofThese = { properties: { code: { enum: codes } } };
    if (refusalBody === undefined) return { allOf: [error, { properties: { error: ofThese } }] };
    return { allOf: [component(refusalBody), { properties: { error: { properties: { data: ofThese } } } }] };
  };

  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const { name, method, path, summary, input, many, responses, revalidate } = operation;
    const inPath = new Set([...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter));
    const parameters = Object.entries(input.shape as Record<string, z.ZodType>).map(([parameter, type]) => {
      const { description, ...schema } = schemaOf(type, "input");
      return {
        name: parameter,
        in: inPath.has(parameter) ? "path" : "query",
        required: !type.safeParse(undefined).success,
        ...(description === undefined ? {} : { description }),
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
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: {
        operationId: name,
        summary,
        parameters: [...parameters, ...headers],
        ...requestOf(operation, component),
        responses: withHeaders(operation, {
          ...answers,
          ...(revalidate === undefined ? {} : { 304: { description: "Not modified." } }),
          ...refusalsOf(operation, (codes) => refusalSchema(operation, codes)),
        }),
      },
    };
  }
  const document = {
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
  return JSON.parse(JSON.stringify(document).replaceAll("#/$defs/", REF)) as object;
}

export const headersOf = ({ headers = {}, resumes }: Described): Readonly<Record<string, string>> =>
  resumes === undefined ? headers : { ...headers, "Last-Event-ID": resumes };

const text = (description: string): object => ({ description, schema: { type: "string" } });
/** What answers say beside the body. */
const HEADERS = {
  RateLimit: text('What the caller has left: `"writes";r=12;t=24` is room for 12, and for all of it again in 24 seconds.'),
  "RateLimit-Policy": text('The limit: `"writes";q=60;w=30` is 60 at once, which come back within 30 seconds.'),
  "Retry-After": text("So many seconds until it is worth asking again."),
};
const refs = (...names: readonly (keyof typeof HEADERS)[]): object =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Every answer to a write says how much room is left; every 429, when there is room again. */
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

function withoutId(definition: object): object {
  const { id: _id, ...rest } = definition as { id?: string };
  return rest;
}

/** The same body many times. */
function requestOf(operation: Described, component: (type: z.ZodType) => object): object {
  const { body, plain } = operation;
  if (body?.schema === undefined) return {};
  const type = plain === true ? "text/plain" : "application/json";
  return { requestBody: { required: true, content: { [type]: { schema: component(body.schema) }, ...manyOf(operation) } } };
}

const manyOf = ({ many }: Described): object =>
  many === undefined
    ? {}
    : {
        [LINES_TYPE]: { schema: { type: "string", description: `One such object a line; at most ${many.most}. Empty lines are skipped.` } },
      };

function linesOf({ answer }: NonNullable<Described["many"]>, component: (type: z.ZodType) => object): object {
  component(answer);
  return { [LINES_TYPE]: { schema: { type: "string", description: `One ${answer.meta()?.id} a line, in the order of the request.` } } };
}

function answerOf(answer: string | Answer, component: (type: z.ZodType) => object, many: Described["many"]): object {
  if (typeof answer === "string") return { description: answer };
  const { words, body, types = ["application/json"] } = answer;
  const content = Object.fromEntries(
    types.map((type) => [type, { schema: type === "application/json" && body !== undefined ? component(body) : { type: "string" } }]),
  );
  return { description: words, content: many === undefined ? content : { ...content, ...linesOf(many, component) } };
}

/** One response a status, with the codes it can carry; what each means stands once, at the error itself. */
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
