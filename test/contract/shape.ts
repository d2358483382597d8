// The shape of an answer, as in the contract: more fields are allowed, a missing or different one is a fault.

/** A word for a plain value (with `?` it may be null), a pattern, a non-empty list, or an object. */
export type Shape = Word | RegExp | readonly [Shape] | { readonly [key: string]: Shape };
type Word = "any" | "text" | "int" | "number" | "bool" | "true" | "null" | "list" | "object" | "time" | "id" | "agent" | `${Word0}?`;
type Word0 = "text" | "int" | "time" | "id" | "agent" | "object";

const TEXTS: Readonly<Record<string, RegExp>> = {
  text: /^/,
  time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  id: /^[0-9a-f]{64}$/,
  agent: /^ag_[0-9a-f]{20}$/,
};
const PLAIN: Readonly<Record<string, (value: unknown) => boolean>> = {
  any: (value) => value !== undefined,
  int: Number.isSafeInteger,
  number: Number.isFinite,
  bool: (value) => typeof value === "boolean",
  true: (value) => value === true,
  null: (value) => value === null,
  list: Array.isArray,
  object: (value) => value instanceof Object && !Array.isArray(value),
};

/** Every place at which the value does not have this shape. */
export function faults(shape: Shape, value: unknown, path = "body"): string[] {
  const fault = [
    `${path} is ${JSON.stringify(value)?.slice(0, 80)}, not ${shape instanceof RegExp ? String(shape) : JSON.stringify(shape)}`,
  ];
  if (shape instanceof RegExp) return typeof value === "string" && shape.test(value) ? [] : fault;
  if (typeof shape === "string") {
    if (shape.endsWith("?") && value === null) return [];
    const word = shape.replace("?", "");
    const pattern = TEXTS[word];
    if (pattern !== undefined) return faults(pattern, value, path);
    return PLAIN[word]?.(value) === true ? [] : fault;
  }
  if (Array.isArray(shape)) {
    if (!Array.isArray(value) || value.length === 0) return fault;
    return value.flatMap((one, at) => faults((shape as readonly [Shape])[0], one, `${path}[${at}]`));
  }
  if (!(value instanceof Object)) return fault;
  return Object.entries(shape).flatMap(([key, one]) => faults(one, (value as Record<string, unknown>)[key], `${path}.${key}`));
}
