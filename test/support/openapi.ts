// openapi.json as tests read it: its operations, and whether a body fits one of its schemas.
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";

export interface Schema {
  readonly [key: string]: unknown;
}
interface DocumentedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly { name: string; in: string; required: boolean; description?: string }[];
  readonly requestBody?: object;
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

/** What is wrong with a body by a schema of the document; what the schema refers to comes along. */
export function faultsBy({ components }: OpenApi, schema: Schema, body: unknown): string[] {
  const local = (value: unknown): Schema => JSON.parse(JSON.stringify(value).replaceAll("#/components/schemas/", "#/$defs/")) as Schema;
  const checker = new Ajv2020({ allErrors: true, strict: false });
  formats.default(checker);
  const check = checker.compile({ ...local(schema), $defs: local(components.schemas) });
  return check(body)
    ? []
    : (check.errors ?? []).slice(0, 3).map((one) => `${one.instancePath} ${one.message ?? ""} ${JSON.stringify(one.params)}`);
}
