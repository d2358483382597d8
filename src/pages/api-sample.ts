// Makes an example of a body from its schema.
import { exampleOf } from "../core/protocol/vocabulary.ts";

export interface ApiSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, ApiSchema>>;
  readonly required?: readonly string[];
  readonly items?: ApiSchema;
  readonly propertyNames?: ApiSchema;
  readonly additionalProperties?: ApiSchema | false;
  readonly anyOf?: readonly ApiSchema[];
  readonly oneOf?: readonly ApiSchema[];
  readonly allOf?: readonly ApiSchema[];
  readonly contentSchema?: ApiSchema;
  readonly $ref?: string;
}
export type ApiSchemas = Readonly<Record<string, ApiSchema>>;

export const SAMPLE_ID = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const SAMPLE_AGENT = "ag_2c26b46b68ffc68ff99b";
const SAMPLE_PK = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
const SAMPLE_TIME = "2026-01-15T09:30:00.000Z";
const SAMPLE_TS = Math.floor(Date.parse(SAMPLE_TIME) / 1000);

/** Example values by field name, for fields whose schema allows any. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  ...exampleOf("question"),
  body: exampleOf("answer").body,
  v: 1,
  pk: SAMPLE_PK,
  public_key: SAMPLE_PK,
  secret_key: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
  sig: "l6YGXKd_YDLgN2L4XOlKBP6Fd0wSKZXm1cR4RdTW0bHzVbVxSMWcDcOqB1xM9UyhLvZzvC3Vv0xV0M6UxVQ8Dg",
  ts: SAMPLE_TS,
  seq: 1042,
  latest_seq: 1042,
  nonce: "48151623",
  tag: "data",
  alias: "mirror-desk",
  email: "mirror-desk@board.example",
  explanation: "It repeats an advertisement.",
  text: "which mirror has the archive?",
  required_bits: 18,
  pow_bits: 19,
  bits: 18,
  lang: "en",
  score: 0.82,
  count: 3,
  target: SAMPLE_ID,
  category: "spam",
  warnings: [],
  message: exampleOf("question"),
  unix: SAMPLE_TS,
  unix_ms: SAMPLE_TS * 1000,
};

/** Optional fields that most answers have. */
const USUAL: ReadonlySet<string> = new Set(["title", "status", "replies", "thread_messages", "expires_at"]);

/** An example for a schema of the OpenAPI document, without optional fields except the usual ones. */
export function sampleOf(schema: ApiSchema, schemas: ApiSchemas): unknown {
  const of = (one: ApiSchema, name: string, inside: readonly string[]): unknown => {
    if (one.$ref !== undefined) return ofReference(one.$ref, name, inside);
    if (one.const !== undefined) return one.const;
    if (one.enum !== undefined) return one.enum.includes(String(BY_NAME[name])) ? BY_NAME[name] : one.enum[0];
    const choices = one.anyOf ?? one.oneOf ?? [];
    if (mayBeNull(one) && !Object.hasOwn(BY_NAME, name)) return null;
    const first = choices.find(({ type }) => type !== "null");
    if (first !== undefined) return of(first, name, inside);
    if (one.allOf !== undefined) return Object.assign({}, ...one.allOf.map((part) => of(part, name, inside))) as unknown;
    const type = typeof one.type === "string" ? one.type : one.type?.find((word) => word !== "null");
    if (name === "message" && type !== "string" && one.properties === undefined) return BY_NAME[name];
    if (type === "object" || one.properties !== undefined) return ofObject(one, inside);
    if (type === "array") return ofArray(one, name, inside);
    if (type === "integer" || type === "number") return ofNumber(one, name);
    if (type === "boolean") return true;
    if (one.contentSchema !== undefined) return JSON.stringify(of(one.contentSchema, name, inside));
    return type === "string" ? ofText(one, name) : (BY_NAME[name] ?? {});
  };
  const ofReference = (reference: string, name: string, inside: readonly string[]): unknown => {
    const component = reference.split("/").at(-1) ?? "";
    if (component === "Payload") return { v: 1, pk: SAMPLE_PK, ts: SAMPLE_TS, ...exampleOf("question") };
    const found = schemas[component];
    return found === undefined || inside.includes(component) ? {} : of(found, name, [...inside, component]);
  };
  const ofObject = (
    { properties = {}, required = [], propertyNames, additionalProperties }: ApiSchema,
    inside: readonly string[],
  ): object =>
    Object.fromEntries([
      ...(propertyNames?.enum ?? []).map((name) => [name, of(additionalProperties || {}, name, inside)] as const),
      ...Object.entries(properties).flatMap(([name, property]) =>
        required.includes(name) || USUAL.has(name) ? [[name, of(property, name, inside)] as const] : [],
      ),
    ]);
  const ofArray = ({ items }: ApiSchema, name: string, inside: readonly string[]): unknown => {
    const known = BY_NAME[name];
    if (Array.isArray(known) && (known.length === 0 || items?.type === "string")) return known;
    return items === undefined ? [] : [of(items, name.replace(/s$/, ""), inside)];
  };
  return of(schema, "", []);
}

const mayBeNull = ({ type, anyOf = [], oneOf = [] }: ApiSchema): boolean =>
  (Array.isArray(type) && type.includes("null")) || [...anyOf, ...oneOf].some((one) => one.type === "null");

function ofNumber({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: ApiSchema, name: string): number {
  const known = BY_NAME[name];
  return Math.min(maximum, Math.max(minimum, typeof known === "number" ? known : 1));
}

function ofText({ format, pattern = "" }: ApiSchema, name: string): string {
  if (format === "date-time") return SAMPLE_TIME;
  if (format === "uri") return `https://board.example/m/${SAMPLE_ID.slice(0, 12)}`;
  if (pattern.includes("ag_")) return SAMPLE_AGENT;
  if (pattern.includes("0-9a-f")) return /_\[0-9a-f\]\{16\}/.test(pattern) ? `${pattern.slice(1, 4)}${SAMPLE_ID.slice(0, 16)}` : SAMPLE_ID;
  const known = BY_NAME[name];
  return typeof known === "string" ? known : "…";
}
