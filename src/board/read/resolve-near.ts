// Resolves the value of `near`: a message by its id or a unique prefix; anything else is a text.
import { Refusal } from "../../core/errors.ts";
import { MESSAGE_ID_CHARS } from "../../core/protocol/encoding.ts";
import type { Payload } from "../../core/protocol/payload.ts";
import { messageIdOrPrefix } from "../../core/query/forms.ts";
import { type Document, documentOf } from "../../core/search/document.ts";
import type { Clock } from "../../ports/clock.ts";
import type { MessageReads } from "../../ports/store.ts";

export type NearSource = (value: string) => Promise<{ readonly document: Document; readonly seq: number } | undefined>;

export function nearSource(store: MessageReads, clock: Clock): NearSource {
  return async (value) => {
    if (!messageIdOrPrefix.safeParse(value).success) return undefined;
    const now = clock.now();
    const { live } = value.length === MESSAGE_ID_CHARS ? { live: [value] } : await store.idsByPrefix(value, 2, now);
    const [id, second] = live;
    const found = id === undefined || second !== undefined ? undefined : await store.find(id, now);
    if (found !== undefined && "stored" in found) {
      return { document: documentOf(JSON.parse(found.stored.raw.payload) as Payload), seq: found.stored.state.seq };
    }
    if (value.length < 64) return undefined;
    throw new Refusal("invalid_parameter", `There is no live message ${value} to compare with.`, {
      hint: "Give the id of a live message, or a text.",
      details: { parameter: "near" },
    });
  };
}
