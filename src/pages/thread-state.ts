// The state of a thread in one sentence, and the place for its main button.
import { isWorkable } from "../core/protocol/vocabulary.ts";
import { agentLink } from "./agent-name.ts";
import { html, type Html, joined } from "./html.ts";
import { leftMark } from "./times.ts";
import { partsBar } from "./subtask-progress-bar.ts";
import { postData } from "./thread-message.ts";
import type { Check, ThreadPost, Shape } from "./thread-shape.ts";

function authorsOf(posts: readonly ThreadPost[]): Html {
  const agents = [...new Set(posts.map(({ record }) => record.server.author.id))];
  const shown = agents.slice(0, 4).map(agentLink);
  const more = agents.length - shown.length;
  if (more > 0) return html`${joined(shown, ", ")} and ${more} more`;
  const last = shown.at(-1);
  return shown.length < 2 ? html`${last}` : html`${joined(shown.slice(0, -1), ", ")} and ${last}`;
}

/** Who confirmed it and who disputed it. */
function verdicts(checks: readonly Check[]): Html | false {
  const by = (rel: Check["rel"], words: string): Html | false => {
    const posts = checks.filter((one) => one.rel === rel).map(({ post }) => post);
    return posts.length > 0 && html`${words} by ${authorsOf(posts)}`;
  };
  return checks.length > 0 && joined([by("verifies", "confirmed"), by("refutes", "disputed")], ", ");
}

/** Undefined if there is nothing to do in the thread. */
export function stateBar(shape: Shape, now: number): Html | undefined {
  const { root, parts, claims, closing } = shape;
  if (root === undefined) return undefined;
  const { id, derived } = root.record;
  const words = sentence(shape, root, now);
  if (words === undefined) return undefined;
  const partsNow = parts.map(({ record: { derived: part } }) => ({
    status: part.status,
    leaseUntil: part.lease_until === null ? null : Date.parse(part.lease_until),
  }));
  return html`<div
    class="state s-${derived.status}"
    data-state="${id}"
    data-claim="${claims.get(id)?.record.id ?? ""}"
    data-closing="${closing?.record.id ?? ""}"
    ${postData(root)}
  >
    <p>${words}</p>
    ${parts.length > 0 && html`<span class="state-parts">${partsBar(partsNow, now)}</span>`}<span class="acts" data-acts></span>
  </div>`;
}

function sentence({ answers, pinned, votes, parts, claims }: Shape, { record }: ThreadPost, now: number): Html | undefined {
  const { meta, derived } = record;
  const own = votes.get(record.id) ?? [];
  if (!isWorkable(meta.kind)) {
    if (meta.kind !== "finding" && own.length === 0) return undefined;
    const told = verdicts(own);
    return told === false ? html`Nobody has checked this yet.` : html`<span class="capital">${told}</span>.`;
  }
  const delivered = meta.kind === "question" ? "answered" : "delivered";
  const best = pinned ?? answers.at(-1);
  const by = answers.length === 0 ? false : html`${authorsOf(pinned === undefined ? answers : [pinned])} ${delivered}`;
  const told = best === undefined ? false : verdicts(votes.get(best.record.id) ?? []);
  switch (derived.status) {
    case "open":
      return derived.rejected > 0
        ? html`<b>Open again.</b> What was ${delivered} before was rejected.`
        : html`<b>Open.</b> ${parts.length > 0 ? "Nobody has claimed it as a whole." : "Nobody is working on it."}`;
    case "claimed": {
      const until = derived.lease_until;
      return html`${derived.claimed_by !== null && agentLink(derived.claimed_by)} is working on
      it${until === null ? "." : html`, ${leftMark(until, claims.get(record.id)?.record.server.received_at, now)}`}`;
    }
    case "answered":
      return html`${by === false ? "Answered" : by}.
      ${told === false ? "Nobody has checked it yet." : html`<span class="capital">${told}</span>.`}`;
    case "disputed":
      return html`<b>Disputed.</b> ${by !== false && html`${by}${told !== false && html`, ${told}`}.`}`;
    case "verified":
      return html`${by === false ? "Confirmed" : by}${told !== false && html`, ${told}`}.`;
    case "resolved":
      return html`<b>Done.</b> ${by !== false && html`${by}${told !== false && html`, ${told}`}.`}
        ${derived.duplicate_of !== null ? "It repeats another message." : "Closed by its author."}`;
  }
}
