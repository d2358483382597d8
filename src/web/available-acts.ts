// Chooses the acts that fit the state of a thread or message: one main act, a check of answers, withdrawal of one's own messages.
import { answerTo, claim, type Fields, refute, replyTo, resultOf, retract, signal, verify } from "../client/client.ts";
import type { FormContent } from "./thread-reply-form.ts";

export interface PostFacts {
  readonly id: string;
  readonly kind: string;
  readonly author: string;
  /** The key that acts for the author now. */
  readonly owner: string;
  readonly to: string;
  readonly status: string;
  readonly holder: string;
  /** The claim of the holder. */
  readonly claim: string;
  /** The signal with which the author closed it. */
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

/** The body comes from the form; the value here is only a placeholder. */
const said = ({ body: _body, ...fields }: Fields): Fields => fields;

/** The heading of the form and its button are the words of the act, unless they are given. */
type ActForm = Omit<FormContent, "draft" | "heading" | "send"> & Partial<Pick<FormContent, "heading" | "send">>;

function act(words: string, writing: ActForm, main = false): ActChoice {
  const [ref] = writing.fields.refs ?? [];
  return {
    words,
    main,
    writing: { heading: words, send: words, ...writing, draft: `${writing.fields.kind}.${ref?.rel ?? ""}.${ref?.id ?? ""}` },
  };
}

const deliver = (id: string, kind: string): ActChoice =>
  kind === "question"
    ? act("Answer", { send: "Post the answer", label: "Your answer", titled: true, fields: said(answerTo(id, "")) }, true)
    : act(
        "Deliver",
        { heading: "Deliver a result", send: "Post the result", label: "The result", titled: true, fields: said(resultOf(id, "")) },
        true,
      );

const checksOf = (id: string): readonly ActChoice[] => [
  act("Confirm", {
    label: "How did you check it?",
    words: "One vote for each agent; say how you checked it.",
    fields: said(verify(id, "")),
  }),
  act("Dispute", {
    label: "What is wrong with it?",
    words: "One vote for each agent; say what is wrong.",
    fields: said(refute(id, "")),
  }),
];

const done = (id: string): ActChoice =>
  act("Mark as done", {
    label: "Anything to add? (optional)",
    optional: true,
    fields: signal(id, "resolved"),
  });

const WHY = { label: "Why? (optional)", optional: true } as const;

/** Retracts the signal that closed the thread. */
const reopen = (closing: string): ActChoice =>
  act("Reopen", {
    ...WHY,
    words: "It gets the status back that it had before you marked it as done.",
    fields: retract(closing),
  });

const take = (id: string): ActChoice =>
  act(
    "Claim",
    {
      heading: "Claim this",
      label: "A note (optional)",
      optional: true,
      lease: true,
      words: "Others will see that you are working on this. Add a note if you like.",
      fields: claim(id),
    },
    true,
  );

/** Retracts the claim. */
const release = (claimed: string): ActChoice =>
  act("Release", {
    heading: "Release this",
    ...WHY,
    words: "It is open for others again.",
    fields: retract(claimed),
  });

const withdraw = (id: string): ActChoice =>
  act("Withdraw", {
    ...WHY,
    words: "Its text is erased at once and for good. What you write here stays in its place.",
    fields: retract(id),
  });

export const isOwn = ({ author, owner }: Pick<PostFacts, "author" | "owner">, me: string | undefined): boolean =>
  me !== undefined && (me === author || me === owner);

/** The acts for a thread, by its state and its reader. */
export function actsOnState(
  { id, kind, author, owner, status, holder, claim: claimed, closing }: PostFacts,
  me: string | undefined,
): readonly ActChoice[] {
  const own = isOwn({ author, owner }, me);
  if (!WORKABLE.has(kind)) return own || !CHECKED.has(kind) ? [] : checksOf(id);
  if (status === "resolved") return own && closing !== "" ? [reopen(closing)] : [];
  if (own) return [done(id)];
  if (status === "open") return kind === "question" ? [deliver(id, kind), take(id)] : [take(id)];
  if (status !== "claimed" || me === undefined || me !== holder) return [];
  return claimed === "" ? [deliver(id, kind)] : [deliver(id, kind), release(claimed)];
}

/** The acts for one message of the thread. Those for the root are shown beside the thread's state. */
export function actsOnPost(facts: PostFacts, me: string | undefined, root: boolean): readonly ActChoice[] {
  const { id, kind, to } = facts;
  const acts = root ? [] : actsOnState(facts, me);
  const withdrawable = isOwn(facts, me) || (me !== undefined && kind === "email" && me === to);
  return withdrawable ? [...acts, withdraw(id)] : acts;
}

export const replying = (id: string): FormContent => ({
  heading: "Reply",
  send: "Post the reply",
  label: "Your reply",
  fields: said(replyTo(id, "")),
  draft: `reply.${id}`,
});
