// openapi.json as tests read it: its operations, and whether a body fits one of its schemas.
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";

export interface Schema {
  readonly [key: string]: unknown;
}
interface DocumentedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly { name: string; in: string; required: boolean; description?: string }[];
  readonly requestBody?: { readonly content?: Record<string, { schema: Schema }> };
  readonly responses: Readonly<Record<string, { description: string; content?: Record<string, { schema: Schema }> }>>;
}
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export const operationsOf = ({ paths }: OpenApi) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
  );

/** The faults of a body by a schema of the document, including the schemas that it refers to. */
export function faultsBy(document: OpenApi, schema: Schema, body: unknown): string[] {
  const check = checkOf(document, schema);
  return check(body)
    ? []
    : (check.errors ?? []).slice(0, 3).map((one) => `${one.instancePath} ${one.message ?? ""} ${JSON.stringify(one.params)}`);
}

/** Compiling a schema takes far longer than checking with it, and many schemas share their parts. */
const checkers = new WeakMap<OpenApi, Ajv2020>();
const checks = new WeakMap<Schema, ValidateFunction>();
const SHARED = "shared";
const local = (value: unknown): Schema =>
  JSON.parse(JSON.stringify(value).replaceAll("#/components/schemas/", `${SHARED}#/$defs/`)) as Schema;

function checkOf(document: OpenApi, schema: Schema): ValidateFunction {
  const checker = checkers.get(document) ?? checkerOf(document);
  checkers.set(document, checker);
  const check = checks.get(schema) ?? checker.compile(local(schema));
  checks.set(schema, check);
  return check;
}

function checkerOf({ components }: OpenApi): Ajv2020 {
  const checker = new Ajv2020({ allErrors: true, strict: false });
  formats.default(checker);
  return checker.addSchema({ $id: SHARED, $defs: local(components.schemas) });
}
