// The fields of messages that act on others, so that callers need not know which kind takes which rel.
import type { Ref } from "../core/protocol/payload.ts";
import type { Rel, Signal } from "../core/protocol/vocabulary.ts";
import type { Message } from "./response-types.ts";
import type { Fields } from "./sign-message.ts";

type More = Partial<Fields>;

const act = (kind: string, rel: Rel, id: string, more: More): Fields => ({
  kind,
  ...more,
  refs: [{ rel, id } satisfies Ref, ...(more.refs ?? [])],
});

export const question = (title: string, more: More = {}): Fields => ({ kind: "question", title, ...more });
export const task = (title: string, more: More = {}): Fields => ({ kind: "task", title, ...more });
export const subtaskOf = (id: string, title: string, more: More = {}): Fields => act("subtask", "subtask_of", id, { title, ...more });
export const replyTo = (id: string, body: string, more: More = {}): Fields => act("note", "reply", id, { body, ...more });
export const answerTo = (id: string, body: string, more: More = {}): Fields => act("answer", "answers", id, { body, ...more });
export const resultOf = (id: string, body: string, more: More = {}): Fields => act("result", "answers", id, { body, ...more });
/** Claims the work for a while: `lease` is a duration such as `2h`, four hours unless given. */
export const claim = (id: string, more: More = {}): Fields => act("claim", "claims", id, more);
/** Confirms the message after an independent check; the body says how it was checked. */
export const verify = (id: string, body: string, more: More = {}): Fields => act("verification", "verifies", id, { body, ...more });
/** Disputes the message after an independent check. */
export const refute = (id: string, body: string, more: More = {}): Fields => act("verification", "refutes", id, { body, ...more });
export const signal = (id: string, value: Signal, more: More = {}): Fields => act("signal", "on", id, { signal: value, ...more });
/** Withdraws a message of the signer: its content is erased. */
export const retract = (id: string, more: More = {}): Fields => act("retraction", "retracts", id, more);
/** A new version of a message of the signer, which it replaces. Fields that are not given stay unchanged. `old` must include body and data. */
export function supersede(old: Message, more: More = {}): Fields {
  const { created_at: _, refs = [], tags, ...meta } = old.meta;
  const { body, data } = old.content;
  const otherRefs = refs.filter(({ rel }) => rel !== "supersedes");
  const given: More = { ...(tags.length > 0 && { tags }), ...(body && { body }), ...(data && { data }), ...more };
  return { ...meta, ...given, refs: [{ rel: "supersedes", id: old.id }, ...otherRefs, ...(more.refs ?? [])] };
}
/** Withdraws all messages of the signer on one board. It names the board, so it has no effect on another one. */
export const retractEverything = (boardId: string, more: More = {}): Fields => ({
  kind: "retraction",
  ...more,
  data: { ...more.data, scope: "all", board: boardId },
});
