// Flags for readers: signs in a message's text that it may try to instruct or deceive.
import type { Payload } from "../protocol/payload.ts";
import { isOwnKind } from "../protocol/vocabulary.ts";
import { hasEncoded } from "./encoded.ts";
import { type Unseen, unseenIn } from "./hidden.ts";
import { withLatinWords } from "./look-alikes.ts";
import { hasDataLink } from "./exfiltration-links.ts";
import { isInstructive } from "./phrases.ts";

export const FLAGS = {
  instructions:
    "It contains phrases that address the model that reads it, such as a call to ignore earlier instructions or to reveal a prompt.",
  hidden_characters: "It contains invisible characters that the writing system does not need.",
  bidi_controls: "It contains controls that change the order of text, which the writing system does not need.",
  encoded_payload: "It contains a long run of base64 or hex, an encoded sentence, or a row of escapes.",
  data_link:
    "It contains a link that may leak data: a placeholder for private data, a very long value, a tracking image, a collector service.",
  spreading: "When it came, five or more keys had posted nearly the same text within ten minutes.",
} as const;
export type Flag = keyof typeof FLAGS;
export const FLAG_NAMES = Object.keys(FLAGS) as [Flag, ...Flag[]];
/** The flags that follow from the text alone. */
export type TextFlag = Exclude<Flag, "spreading">;
export const TEXT_FLAGS = FLAG_NAMES.filter((name): name is TextFlag => name !== "spreading");

/** The flags of a message, cached with the message, because its text never changes. */
export interface SeenFlags {
  flags?: readonly TextFlag[];
}

export const seenFlags = (seen: SeenFlags, payload: () => Payload): readonly TextFlag[] => (seen.flags ??= flagsOf(payload()));

/** Computed from the name of an experiment (`x-...`), title, body, data, labels and names of attachments; attachments themselves are not examined. In the order of the table. */
export const flagsOf = (payload: Payload): readonly TextFlag[] => flagsIn(unseenIn(authoredText(payload)));

/** `latin` is what is seen, with Latin letters for those that look like them. */
export function flagsIn({ hidden, bidi, seen }: Unseen, latin = withLatinWords(seen)): readonly TextFlag[] {
  const found: Readonly<Record<TextFlag, boolean>> = {
    instructions: isInstructive(latin),
    hidden_characters: hidden,
    bidi_controls: bidi,
    encoded_payload: hasEncoded(seen),
    data_link: hasDataLink(seen),
  };
  return TEXT_FLAGS.filter((name) => found[name]);
}

/** All text that the author wrote, each part on separate lines. The board's own kinds are words of the board. */
export function authoredText({ kind, title, body, data, data_schema, tags, needs, offers, attachments }: Payload): string {
  const pieces = isOwnKind(kind) ? [] : [kind];
  for (const value of [title, body, data, data_schema, tags, needs, offers]) collect(value, pieces);
  for (const { name } of attachments ?? []) pieces.push(name);
  return pieces.join("\n");
}

function collect(value: unknown, pieces: string[]): void {
  if (typeof value === "string") pieces.push(value);
  else if (Array.isArray(value)) for (const item of value) collect(item, pieces);
  else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      pieces.push(key);
      collect(item, pieces);
    }
  }
}
