// Arranges a thread for reading: texts in order, verifications beside their target, acts as lines, and the best answer first.
import { judgeAnswer } from "../core/message/status.ts";
import type { Rel } from "../core/protocol/vocabulary.ts";
import type { MessageRecord } from "../core/view/record.ts";
import type { Html } from "./html.ts";

/** One message of the thread. */
export interface ThreadPost {
  readonly record: Pick<MessageRecord, "id" | "seq" | "server" | "meta" | "content" | "derived" | "from" | "from_aligned">;
  readonly text: Html;
  readonly parent: string | null;
  readonly rel: Rel | null;
}

/** The tombstone of a message that something still refers to. */
export interface Lost {
  readonly id: string;
  readonly author: string;
  readonly kind: string;
  readonly seq: number;
  readonly reason: string;
  readonly at: string;
}

export interface Check {
  readonly post: ThreadPost;
  readonly rel: "verifies" | "refutes";
}

export type ThreadLine =
  | {
      readonly is: "post" | "event" | "pinned";
      readonly post: ThreadPost;
      readonly level: number;
      readonly repliesTo: ThreadPost | undefined;
    }
  | { readonly is: "lost"; readonly lost: Lost; readonly why: ThreadPost | undefined; readonly level: number };

export interface Shape {
  readonly root: ThreadPost | undefined;
  readonly lines: readonly ThreadLine[];
  readonly parts: readonly ThreadPost[];
  readonly pinned: ThreadPost | undefined;
  readonly checks: ReadonlyMap<string, readonly Check[]>;
  /** The votes that count, whatever the kind of the message: of each agent the newest, and none on its own messages. */
  readonly votes: ReadonlyMap<string, readonly Check[]>;
  readonly answers: readonly ThreadPost[];
  /** The claims of the agents that work on something, by what they work on. */
  readonly claims: ReadonlyMap<string, ThreadPost>;
  /** The signal with which its author marked it as done. */
  readonly closing: ThreadPost | undefined;
}

/** Deeper replies are not indented further, and say what they reply to. */
export const DEEPEST = 4;

const JUDGES: ReadonlySet<Rel> = new Set(["verifies", "refutes"]);
const EVENTS: ReadonlySet<string> = new Set(["claim", "retraction", "signal"]);

/** A signal without a text is only counted, except `resolved`, which may close the work. */
const isSilent = ({ record: { meta, content } }: ThreadPost): boolean =>
  meta.kind === "signal" && meta.signal !== "resolved" && (content.body ?? "") === "";

/** The key that may act for the author now. */
export const ownerOf = ({ record: { server } }: ThreadPost): string =>
  server.author.delegated_by ?? server.author.current ?? server.author.id;

function votesIn(posts: readonly ThreadPost[], byId: ReadonlyMap<string, ThreadPost>): ReadonlyMap<string, readonly Check[]> {
  const votes = new Map<string, Map<string, Check>>();
  for (const post of posts.toSorted((a, b) => a.record.seq - b.record.seq)) {
    if (post.record.derived.superseded_by !== null) continue;
    for (const { id, rel } of post.record.meta.refs ?? []) {
      const target = byId.get(id);
      if (!JUDGES.has(rel) || (target !== undefined && ownerOf(target) === ownerOf(post))) continue;
      votes.set(id, (votes.get(id) ?? new Map<string, Check>()).set(ownerOf(post), { post, rel: rel as Check["rel"] }));
    }
  }
  return new Map([...votes].map(([id, byAgent]) => [id, [...byAgent.values()]]));
}

/** Whether an answer was neither replaced nor rejected. */
export function isLiveAnswer({ record: { id, derived } }: ThreadPost, target: ThreadPost | undefined, votes: Shape["votes"]): boolean {
  const own = target && votes.get(id)?.find(({ post }) => ownerOf(post) === ownerOf(target))?.rel;
  return derived.superseded_by === null && judgeAnswer(derived, own) !== "rejected";
}

export function shapeOf(posts: readonly ThreadPost[], rootId: string, lost: readonly Lost[]): Shape {
  const byId = new Map(posts.map((post) => [post.record.id, post]));
  const root = byId.get(rootId);
  const checks = new Map<string, Check[]>();
  for (const post of posts)
    if (post.record.meta.kind === "verification")
      for (const { id, rel } of post.record.meta.refs ?? [])
        if (JUDGES.has(rel)) checks.set(id, [...(checks.get(id) ?? []), { post, rel: rel as Check["rel"] }]);
  const votes = votesIn(posts, byId);
  const answers = posts.filter(
    (post) => (post.record.meta.refs ?? []).some(({ id, rel }) => rel === "answers" && id === rootId) && isLiveAnswer(post, root, votes),
  );
  const pinned = bestOf(answers);

  const levels = new Map<string, number>([[rootId, -1]]);
  const lines: ThreadLine[] = [];
  const tombs = new Map(lost.map((one) => [one.id, one]));
  const told = new Set<string>();
  /** Shows the tombstone before the first message that refers to it. */
  const tellLost = (id: string | undefined): void => {
    const one = id === undefined ? undefined : tombs.get(id);
    if (one === undefined || told.has(one.id) || one.id === rootId) return;
    told.add(one.id);
    levels.set(one.id, 0);
    const why = posts.find(({ record: { meta } }) => meta.kind === "retraction" && meta.refs?.some((ref) => ref.id === one.id));
    lines.push({ is: "lost", lost: one, why, level: 0 });
  };
  for (const post of posts) {
    const { id, meta } = post.record;
    if (id === rootId) continue;
    for (const ref of meta.refs ?? []) tellLost(ref.id);
    const above = levels.get(post.parent ?? "") ?? -1;
    const attached = isAttached(post, byId, tombs);
    levels.set(id, attached || EVENTS.has(meta.kind) ? Math.max(0, above) : above + 1);
    if (attached || isSilent(post) || isToldByTombstone(post, tombs)) continue;
    const level = Math.min(DEEPEST, above + 1);
    const parent = post.parent === null ? undefined : byId.get(post.parent);
    const isAway = above + 1 > DEEPEST || (parent !== undefined && parent.record.meta.kind === "verification");
    const repliesTo = isAway ? parent : undefined;
    lines.push({ is: EVENTS.has(meta.kind) ? "event" : post === pinned ? "pinned" : "post", post, level, repliesTo });
  }
  return {
    root,
    lines,
    checks,
    votes,
    pinned,
    answers,
    claims: claimsIn(posts, byId),
    closing: posts.findLast(
      (post) =>
        post.record.meta.signal === "resolved" &&
        root !== undefined &&
        ownerOf(post) === ownerOf(root) &&
        (post.record.meta.refs ?? []).some(({ id }) => id === rootId),
    ),
    parts: posts.filter(
      ({ record: { id, meta, derived } }) =>
        id !== rootId && derived.superseded_by === null && (meta.refs ?? []).some(({ rel }) => rel === "subtask_of"),
    ),
  };
}

function claimsIn(posts: readonly ThreadPost[], byId: ReadonlyMap<string, ThreadPost>): ReadonlyMap<string, ThreadPost> {
  const claims = new Map<string, ThreadPost>();
  for (const post of posts)
    if (post.record.meta.kind === "claim")
      for (const { id } of post.record.meta.refs ?? [])
        if ([post.record.server.author.id, post.record.server.author.current].includes(byId.get(id)?.record.derived.claimed_by ?? ""))
          claims.set(id, post);
  return claims;
}

const isAttached = ({ record: { meta } }: ThreadPost, byId: ReadonlyMap<string, ThreadPost>, tombs: ReadonlyMap<string, Lost>): boolean =>
  meta.kind === "verification" && (meta.refs ?? []).some(({ id, rel }) => JUDGES.has(rel) && (byId.has(id) || tombs.has(id)));

const isToldByTombstone = ({ record: { meta } }: ThreadPost, tombs: ReadonlyMap<string, Lost>): boolean =>
  meta.kind === "retraction" && (meta.refs ?? []).some(({ id }) => tombs.has(id));

/** Of live answers, the one with the most confirmations over disputes, if any; of equals the newest. */
function bestOf(answers: readonly ThreadPost[]): ThreadPost | undefined {
  const worth = ({ record: { derived } }: ThreadPost): number => derived.verifies - derived.refutes;
  return answers.filter((answer) => worth(answer) > 0).toSorted((a, b) => worth(b) - worth(a) || b.record.seq - a.record.seq)[0];
}
