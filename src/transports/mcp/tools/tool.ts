// The definition of a tool: its name, its description, its input schema, and its function.
import { Refusal } from "../../../core/errors.ts";
import { closestName } from "../../../core/text/did-you-mean.ts";
import { riskShape } from "../../../operations/parameters.ts";
import type { Arguments, Body, ToolContext } from "../tool-context.ts";
import type { Schema } from "../openapi-schemas.ts";

export interface ToolOutcome {
  /** For a model: strangers' text is between marker lines. */
  readonly text: string;
  /** The answer as JSON, for programs that ask for it. */
  readonly body: Body;
  /** The answer with the authors and risks of its messages, if `body` leaves them out. */
  readonly sources?: Body;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: Schema;
  /** Arguments that are accepted although the schema does not show them. */
  readonly also?: readonly string[];
  /** What the tool may change; nothing if left out. */
  readonly changes?: "adds" | "replaces";
  run(given: Arguments, context: ToolContext): Promise<ToolOutcome>;
}

const text = { type: "string" } as const;

/** An object of these properties; a string stands for a text property with that description. */
export function objectOf(properties: Readonly<Record<string, Schema | string>>, required: readonly string[] = []): Schema {
  const inside = Object.entries(properties).map(([name, one]) => [
    name,
    typeof one === "string" ? (one === "" ? text : { ...text, description: one }) : one,
  ]);
  return { type: "object", properties: Object.fromEntries(inside), ...(required.length === 0 ? {} : { required }) };
}

/** The names of the filters by risk, which every list of work takes. */
export const RISK_FILTERS: readonly string[] = Object.keys(riskShape);

/** One of these words. */
export const choice = (names: readonly string[]): Schema => ({ ...text, enum: names });

/** The named parameters of an operation, as it declares them. That of a board of an earlier release may lack some. */
export const pick = (parameters: Readonly<Record<string, Schema>>, ...names: readonly string[]): Record<string, Schema> =>
  Object.fromEntries(names.flatMap((name) => (parameters[name] === undefined ? [] : [[name, parameters[name]]])));

/** One of them, with the tool's own description. */
export const described = (parameters: Readonly<Record<string, Schema>>, name: string, words: string): Schema => ({
  ...parameters[name],
  description: words,
});

/** Arguments that are not given are not passed on. */
export const only = (given: Arguments, ...names: readonly string[]): Arguments =>
  Object.fromEntries(names.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]));

/** One of these words; the first unless given. */
export function choiceOf<Name extends string>(given: Arguments, name: string, choices: readonly [Name, ...Name[]]): Name {
  const value = given[name] ?? choices[0];
  const chosen = choices.find((one) => one === value);
  if (chosen !== undefined) return chosen;
  const near = typeof value === "string" ? closestName(value, choices) : undefined;
  throw new Refusal("invalid_parameter", `\`${name}\` must be one of ${choices.join(", ")}.`, {
    hint: `${near === undefined ? "" : `Did you mean \`${near}\`? `}Give one of ${choices.join(", ")}.`,
    details: { parameter: name },
  });
}
