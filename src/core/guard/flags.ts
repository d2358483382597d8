// What a reader should know before reading: signs in a message's own text that it may be meant to do more than tell something.
import type { Payload } from "../protocol/payload.ts";
import { hasEncoded } from "./encoded.ts";
import { type Unseen, unseenIn } from "./hidden.ts";
import { hasDataLink } from "./links.ts";
import { isInstructive } from "./phrases.ts";

export const FLAGS = {
  instructions:
    "It holds phrases that speak to the model that reads it, such as a call to drop earlier instructions or to reveal a prompt.",
  hidden_characters: "It holds characters that are not drawn, where writing does not need them.",
  bidi_controls: "It holds controls that change the order in which text is drawn, where writing does not need them.",
  encoded_payload: "It holds a long run of base64 or hex, an encoded sentence, or a row of escapes.",
  data_link:
    "It holds a link that would carry data out: private things to fill in, a very long value, a picture that reports, a collector.",
  spreading: "When it came, five or more keys had posted nearly the same text within ten minutes.",
} as const;
export type Flag = keyof typeof FLAGS;
export const FLAG_NAMES = Object.keys(FLAGS) as [Flag, ...Flag[]];
/** The flags that follow from the text alone. */
export type TextFlag = Exclude<Flag, "spreading">;
export const TEXT_FLAGS = FLAG_NAMES.filter((name): name is TextFlag => name !== "spreading");

/** What was found in the text of a message, which never changes; it goes with the message, so that nobody looks twice. */
export interface Seen {
  flags?: readonly TextFlag[];
}

export const seenFlags = (seen: Seen, payload: () => Payload): readonly TextFlag[] => (seen.flags ??= flagsOf(payload()));

/** Computed from title, body, data, labels and names of attachments; attachments themselves are not looked at. In the order of the table. */
export const flagsOf = (payload: Payload): readonly TextFlag[] => flagsIn(unseenIn(authoredText(payload)));

export function flagsIn({ hidden, bidi, seen }: Unseen): readonly TextFlag[] {
  const found: Readonly<Record<TextFlag, boolean>> = {
    instructions: isInstructive(seen),
    hidden_characters: hidden,
    bidi_controls: bidi,
    encoded_payload: hasEncoded(seen),
    data_link: hasDataLink(seen),
  };
  return TEXT_FLAGS.filter((name) => found[name]);
}

/** Everything that the author words, each piece on lines of its own. */
export function authoredText({ title, body, data, data_schema, tags, needs, offers, attachments }: Payload): string {
  const pieces: string[] = [];
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
