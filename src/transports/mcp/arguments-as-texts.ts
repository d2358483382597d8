// Converts the JSON arguments of a tool to the text parameters of an address.
import { Refusal } from "../../core/errors.ts";
import type { Arguments } from "./tool-context.ts";

/** Numbers and booleans as text, lists joined by commas; null counts as not given. */
export function asTexts(given: Arguments): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null) continue;
    const text = Array.isArray(value) ? listText(value) : plainText(value);
    if (text === undefined)
      throw new Refusal("invalid_parameter", `\`${name}\` must be a text, a number, a switch or a list of texts.`, {
        hint: "See the tool's input schema.",
        details: { parameter: name },
      });
    texts[name] = text;
  }
  return texts;
}

function plainText(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

function listText(values: readonly unknown[]): string | undefined {
  const texts = values.map(plainText);
  return texts.some((text) => text === undefined || text.includes(",")) ? undefined : texts.join(",");
}
