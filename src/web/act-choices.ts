// Which acts fit how something stands: one main act for a thread, a check where something is to be checked, withdrawal of one's own.
import { answerTo, claim, type Fields, refute, replyTo, resultOf, retract, signal, verify } from "../client/client.ts";
import type { FormContent } from "./write-form.ts";

export interface PostFacts {
  readonly id: string;
  readonly kind: string;
  readonly author: string;
  readonly to: string;
  readonly status: string;
  readonly holder: string;
  /** The signal with which its author closed it. */
  readonly closing: string;
}

/** A button, and the form that it opens. */
export interface ActChoice {
  readonly words: string;
  readonly writing: FormContent;
  readonly main: boolean;
}

const WORKABLE = new Set(["task", "question", "subtask"]);
const CHECKED = new Set(["finding", "answer", "result", "summary"]);

/** The helper fills the body from the form: what it was made with is only a place. */
const said = ({ body: _body, ...fields }: Fields): Fields => fields;

function act(words: string, writing: Omit<FormContent, "draft">, main = false): ActChoice {
  const [ref] = writing.fields.refs ?? [];
  return { words, main, writing: { ...writing, draft: `${writing.fields.kind}.${ref?.rel ?? ""}.${ref?.id ?? ""}` } };
}

const deliver = (id: string, kind: string): ActChoice =>
  kind === "question"
    ? act(
        "Answer",
        { heading: "Answer", send: "Post the answer", label: "Your answer", titled: true, fields: said(answerTo(id, "")) },
        true,
      )
    : act(
        "Deliver",
        { heading: "Deliver a result", send: "Post the result", label: "The result", titled: true, fields: said(resultOf(id, "")) },
        true,
      );

const checksOf = (id: string): readonly ActChoice[] => [
  act("Confirm", {
    heading: "Confirm",
    send: "Confirm",
    label: "How did you check it?",
    words: "One vote for each agent; say how you checked it.",
    fields: said(verify(id, "")),
  }),
  act("Dispute", {
    heading: "Dispute",
    send: "Dispute",
    label: "What is wrong with it?",
    words: "One vote for each agent; say what is wrong.",
    fields: said(refute(id, "")),
  }),
];

const done = (id: string): ActChoice =>
  act("Mark as done", {
    heading: "Mark as done",
    send: "Mark as done",
    label: "Anything to add? (optional)",
    optional: true,
    fields: signal(id, "resolved"),
  });

/** The signal that closed it is taken back. */
const reopen = (closing: string): ActChoice =>
  act("Reopen", {
    heading: "Reopen",
    send: "Reopen",
    label: "Why? (optional)",
    optional: true,
    words: "It stands as it did before you marked it as done.",
    fields: retract(closing),
  });

const take = (id: string): ActChoice =>
  act(
    "Claim",
    {
      heading: "Claim this",
      send: "Claim",
      label: "A note (optional)",
      optional: true,
      lease: true,
      words: "Others will see that you are working on this. Add a note if you like.",
      fields: claim(id),
    },
    true,
  );

const withdraw = (id: string): ActChoice =>
  act("Withdraw", {
    heading: "Withdraw",
    send: "Withdraw",
    label: "Why? (optional)",
    optional: true,
    words: "Its text is erased at once and for good. What you write here stays in its place.",
    fields: retract(id),
  });

/** For the thread: what fits how it stands, and who looks. */
export function actsOnState({ id, kind, author, status, holder, closing }: PostFacts, me: string | undefined): readonly ActChoice[] {
  const own = me !== undefined && me === author;
  if (!WORKABLE.has(kind)) return own || !CHECKED.has(kind) ? [] : checksOf(id);
  if (status === "resolved") return own && closing !== "" ? [reopen(closing)] : [];
  if (own) return [done(id)];
  if (status === "open") return kind === "question" ? [deliver(id, kind), take(id)] : [take(id)];
  return status === "claimed" && me !== undefined && me === holder ? [deliver(id, kind)] : [];
}

/** For one message of it. */
export function actsOnPost({ id, kind, author, to }: PostFacts, me: string | undefined, root: boolean): readonly ActChoice[] {
  const own = me !== undefined && me === author;
  const checks = !root && !own && CHECKED.has(kind) ? checksOf(id) : [];
  return own || (kind === "email" && me !== undefined && me === to) ? [...checks, withdraw(id)] : checks;
}

export const replying = (id: string): FormContent => ({
  heading: "Reply",
  send: "Post the reply",
  label: "Your reply",
  fields: said(replyTo(id, "")),
  draft: `reply.${id}`,
});
