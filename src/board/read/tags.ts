// The tags, needs and offers of live messages.
import { z } from "zod";
import type { LabelField } from "../../core/message/message-state.ts";
import { cutPage } from "../../core/query/cursor.ts";
import type { TagFacts } from "../../ports/tags.ts";
import type { ReaderParts } from "./reader-parts.ts";

export interface TagsQuestion {
  readonly field: LabelField;
  readonly prefix: string;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export type ListTags = (question: TagsQuestion) => Promise<{ readonly tags: readonly TagFacts[]; readonly nextCursor: string | null }>;

const positionForm = z.strictObject({ count: z.number(), tag: z.string() });

export function tagLister({ lists, cursors }: Pick<ReaderParts, "lists" | "cursors">): ListTags {
  return async ({ field, prefix, limit, cursor }) => {
    const fingerprint = `tags ${field} ${prefix}`;
    const after = cursors.decode(fingerprint, cursor, positionForm);
    const found = await lists.tags({ field, prefix, after, limit: limit + 1 });
    const { page: tags, next: nextCursor } = cutPage(found, limit, ({ count, tag }) => cursors.encode(fingerprint, { count, tag }));
    return { tags, nextCursor };
  };
}
