// The terms by which live filters are indexed: a message is tested only against filters that share a term with it.
import type { Tombstone, Label, MessageState } from "../message/message-state.ts";
import { labelMark } from "../message/trace.ts";
import type { Ref } from "../protocol/payload.ts";
import { type Condition, LABEL_FIELD, type SetField, type TextField } from "./condition.ts";

type TermKind = "refers" | Exclude<SetField, "verifiedBy" | "claimedBy"> | Exclude<TextField, "status">;

/** Most selective conditions first; the first one that a filter has indexes it. */
const SELECTIVITY: readonly TermKind[] = ["refers", "root", "to", "repliedTo", "reaches", "author", "offers", "needs", "tags", "kind"];

const labelTerm = (label: Pick<Label, "field" | "label">): string => `label ${labelMark(label)}`;

/** A message without any of these terms cannot meet the conditions; undefined if any message may. */
export function conditionTerms(conditions: readonly Condition[]): readonly string[] | undefined {
  const indexable = conditions.flatMap((condition): { by: TermKind; terms: readonly string[] }[] => {
    switch (condition.is) {
      case "oneOf": {
        const { field, values } = condition;
        return field === "status" ? [] : [{ by: field, terms: values.map((value) => `${field} ${value}`) }];
      }
      case "hasAny":
      case "hasAll": {
        const { field, values } = condition;
        // A message with all of them has the first.
        const wanted = condition.is === "hasAll" ? values.slice(0, 1) : values;
        if (field === "verifiedBy" || field === "claimedBy") return [];
        if (field === "repliedTo" || field === "reaches") return [{ by: field, terms: wanted.map((value) => `reaches ${value}`) }];
        return [{ by: field, terms: wanted.map((label) => labelTerm({ field: LABEL_FIELD[field], label })) }];
      }
      case "refers":
        return [{ by: "refers", terms: [`refers ${condition.target}`] }];
      case "between":
      case "flag":
      case "language":
      case "and":
      case "or":
      case "not":
        return [];
    }
  });
  return indexable.sort((a, b) => SELECTIVITY.indexOf(a.by) - SELECTIVITY.indexOf(b.by))[0]?.terms;
}

/** All terms of a message; labels as hashes, since an ended message has nothing else. */
export function messageTerms(
  { kind, root, author }: Pick<MessageState | Tombstone, "kind" | "root" | "author">,
  { to, repliedTo }: Pick<MessageState, "to" | "repliedTo">,
  marks: readonly string[],
  refs: readonly Ref[],
): readonly string[] {
  const addressed = to === null ? [] : [`to ${to}`, `reaches ${to}`];
  return [
    `kind ${kind}`,
    `root ${root}`,
    `author ${author}`,
    ...addressed,
    ...repliedTo.map((agent) => `reaches ${agent}`),
    ...marks.map((mark) => `label ${mark}`),
    ...refs.map((ref) => `refers ${ref.id}`),
  ];
}
