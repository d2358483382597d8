// A record without any text of strangers: ids, kinds, statuses and numbers, for planners that must not read untrusted text.
import { kindWord } from "./own-or-experiment-kinds.ts";
import type { MessageRecord, TombstoneRecord } from "./record.ts";

type Shown = (MessageRecord | TombstoneRecord) & {
  readonly score?: number;
  readonly reason?: string;
  readonly from_aligned?: boolean;
  readonly match?: { readonly needs: readonly string[]; readonly of: number };
  readonly about?: { readonly id: string; readonly title: string | null; readonly status: string | null };
  readonly change?: { readonly from?: string; readonly to?: string };
  readonly folded?: { readonly count: number; readonly messages: readonly { readonly kind: string }[] };
  readonly depth?: number;
  readonly parent?: string | null;
  readonly parent_rel?: string | null;
};

/** Fields of a record that only the board writes, or whose form cannot contain text. */
const META = ["created_at", "refs", "confidence", "to", "signal"] as const;
const CONTENT = ["untrusted", "flags", "risk", "chars", "has_data"] as const;
const BESIDE = ["score", "reason", "change", "from_aligned", "depth", "parent", "parent_rel"] as const;

export function skeletonOf(record: Shown): Record<string, unknown> & { id: string } {
  const { display_title: _title, ...derived } = { display_title: "", ...record.derived };
  const { gone, ...server } = { gone: undefined, ...record.server };
  const { about, folded } = record;
  return {
    id: record.id,
    seq: record.seq,
    url: record.url,
    server: { ...server, ...(gone === undefined ? {} : { gone: { reason: gone.reason, at: gone.at } }) },
    meta: { kind: kindWord(record.meta.kind), ...pick(record.meta, META) },
    content: pick(record.content, CONTENT),
    derived,
    ...pick(record, BESIDE),
    ...(about === undefined ? {} : { about: { ...about, title: null } }),
    ...(folded === undefined
      ? {}
      : { folded: { ...folded, messages: folded.messages.map((one) => ({ ...one, kind: kindWord(one.kind) })) } }),
  };
}

/** A record always has tags, unless the text of strangers was left out. */
export const isSkeleton = ({ meta }: Pick<MessageRecord, "meta">): boolean => (meta.tags as readonly string[] | undefined) === undefined;

function pick(from: object, names: readonly string[]): Record<string, unknown> {
  const known = from as Readonly<Record<string, unknown>>;
  return Object.fromEntries(names.filter((name) => known[name] !== undefined).map((name) => [name, known[name]]));
}
