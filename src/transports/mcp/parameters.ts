// Arguments of a tool, which are JSON, as the parameters of an address, which are texts.
import { Refusal } from "../../core/errors.ts";
import type { Arguments } from "./tool-context.ts";

/** Numbers and switches as they are written, lists joined by commas; what is null is not given. */
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
