// The operations as openapi.json describes them, and short JSON Schemas made from its long ones, because models read the list of tools each time.
import { COMMA_LIST } from "../../core/query/forms.ts";

export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly [key: string]: unknown;
}

interface Described {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
}

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface OperationSchema {
  readonly method: string;
  /** Parameters of the path are in braces. */
  readonly path: string;
  /** The short schema of each parameter. */
  readonly parameters: Readonly<Record<string, Schema>>;
}

export interface OperationSchemas {
  operation(name: string): OperationSchema;
  /** A named schema of the document, with short schemas of its properties. */
  named(name: string): Schema;
}

export function schemasOf({ paths, components }: OpenApiDocument): OperationSchemas {
  const find = (schema: Schema): Schema => {
    const name = typeof schema["$ref"] === "string" ? schema["$ref"].split("/").at(-1) : undefined;
    return name === undefined ? schema : (components.schemas[name] ?? {});
  };
  const operations = new Map<string, OperationSchema>();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { operationId, parameters }] of Object.entries(methods)) {
      operations.set(operationId, {
        method: method.toUpperCase(),
        path,
        parameters: Object.fromEntries(parameters.map(({ name, schema }) => [name, outline(schema, find, 0)])),
      });
    }
  }
  return {
    operation(name) {
      const shape = operations.get(name);
      if (shape === undefined) throw new Error(`The board has no operation ${name}.`);
      return shape;
    },
    named: (name) => outline(components.schemas[name] ?? {}, find, 1),
  };
}

type Find = (schema: Schema) => Schema;

/** In a query string a switch is one of these texts; a tool takes it as a boolean. */
const SWITCH = ["0", "1", "false", "true"].join();

/** Types and enums of the properties down to a depth, and which are required. What the outline leaves out, it does not restrict. */
function outline(schema: Schema, find: Find, depth: number): Schema {
  const found = find(schema);
  const choices = (found["anyOf"] ?? found["oneOf"]) as readonly Schema[] | undefined;
  if (choices !== undefined) return eitherOf(choices.map((one) => outline(one, find, depth)));
  const { type, enum: names, properties, required, items } = found;
  if (names?.toSorted().join() === SWITCH) return { type: "boolean" };
  if (found["format"] === COMMA_LIST) return { type: ["string", "array"], items: {} };
  const base = type === undefined ? {} : { type };
  if (names !== undefined) return { ...base, enum: names };
  if (type === "array") {
    const inner = items && find(items).type;
    return typeof inner === "string" ? { ...base, items: { type: inner } } : base;
  }
  if (depth === 0 || properties === undefined) return base;
  const inside = Object.entries(properties).map(([name, one]) => [name, outline(one, find, depth - 1)] as const);
  return { ...base, properties: Object.fromEntries(inside), ...(required === undefined ? {} : { required }) };
}

/** Alternatives as one schema that allows each of them. */
function eitherOf(choices: readonly Schema[]): Schema {
  const types = [...new Set(choices.map(({ type }) => type))];
  if (!types.every((type) => typeof type === "string")) return {};
  return { type: types.length === 1 ? types[0]! : types };
}
