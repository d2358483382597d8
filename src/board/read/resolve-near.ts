// Resolves the value of `near`: a message by its id or a unique prefix; anything else is a text.
import { Refusal } from "../../core/errors.ts";
import { MESSAGE_ID_CHARS } from "../../core/protocol/encoding.ts";
import type { Payload } from "../../core/protocol/payload.ts";
import { messageIdOrPrefix } from "../../core/query/forms.ts";
import { type Document, documentOf, documentOfText, type WordCaches } from "../../core/search/document.ts";
import type { Clock } from "../../ports/clock.ts";
import type { MessageReads } from "../../ports/store.ts";

/** What is compared; `seq` is that of the message, if it is one. */
export interface Compared {
  readonly document: Document;
  readonly seq: number | undefined;
}

export interface NearSource {
  /** The message that the value names, or else the value as a text. */
  readonly of: (value: string) => Promise<Compared>;
  readonly text: (text: string) => Compared;
}

export function nearSource(store: MessageReads, clock: Clock, words: WordCaches): NearSource {
  const text: NearSource["text"] = (value) => ({ document: documentOfText(value, words), seq: undefined });
  const of: NearSource["of"] = async (value) => {
    if (!messageIdOrPrefix.safeParse(value).success) return text(value);
    const now = clock.now();
    const { live } = value.length === MESSAGE_ID_CHARS ? { live: [value] } : await store.idsByPrefix(value, 2, now);
    const [id, second] = live;
    const found = id === undefined || second !== undefined ? undefined : await store.find(id, now);
    if (found !== undefined && "stored" in found) {
      return { document: documentOf(JSON.parse(found.stored.raw.payload) as Payload, words), seq: found.stored.state.seq };
    }
    if (value.length < 64) return text(value);
    throw new Refusal("invalid_parameter", `There is no live message ${value} to compare with.`, {
      hint: "Give the id of a live message, or a text.",
      details: { parameter: "near" },
    });
  };
  return { of, text };
}
