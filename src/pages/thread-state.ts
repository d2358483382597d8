// The state of a thread in one sentence, and the place for its main button.
import { isWorkable } from "../core/protocol/vocabulary.ts";
import { agentLink } from "./agent-name.ts";
import { html, type Html, joined } from "./html.ts";
import { leftMark } from "./times.ts";
import { partsBar } from "./subtask-progress-bar.ts";
import { type Check, ownerOf, type ThreadPost, type Shape } from "./thread-shape.ts";

const authorsOf = (posts: readonly { readonly record: ThreadPost["record"] }[]): Html =>
  listed([...new Set(posts.map(({ record }) => record.server.author.id))]);

function listed(agents: readonly string[]): Html {
  const shown = agents.slice(0, 4).map(agentLink);
  const more = agents.length - shown.length;
  if (more > 0) return html`${joined(shown, ", ")} and ${more} more`;
  const last = shown.at(-1);
  return shown.length < 2 ? html`${last}` : html`${joined(shown.slice(0, -1), ", ")} and ${last}`;
}

const judged = (checks: readonly Check[], rel: Check["rel"]): readonly string[] => [
  ...new Set(checks.filter((one) => one.rel === rel).map(({ post }) => post.record.server.author.id)),
];

/** Who confirmed it and who disputed it. */
function verdicts(checks: readonly Check[]): Html | false {
  const [good, bad] = [judged(checks, "verifies"), judged(checks, "refutes")];
  const parts = [good.length > 0 && html`confirmed by ${listed(good)}`, bad.length > 0 && html`disputed by ${listed(bad)}`];
  return good.length + bad.length > 0 && joined(parts, ", ");
}

/** Undefined if there is nothing to do in the thread. */
export function stateBar(shape: Shape, now: number): Html | undefined {
  const { root, parts, claims, closing } = shape;
  if (root === undefined) return undefined;
  const { id, meta, derived, server } = root.record;
  const words = sentence(shape, root, now);
  if (words === undefined) return undefined;
  const bar =
    parts.length > 0 &&
    html`<span class="state-parts"
      >${partsBar(
        parts.map(
          ({
            record: {
              derived: { status, lease_until: until },
            },
          }) => ({
            status,
            leaseUntil: until === null ? null : Date.parse(until),
          }),
        ),
        now,
      )}</span
    >`;
  return html`<div
    class="state s-${derived.status}"
    data-state="${id}"
    data-kind="${meta.kind}"
    data-status="${derived.status}"
    data-author="${server.author.id}"
    data-owner="${ownerOf(root)}"
    data-holder="${derived.claimed_by ?? ""}"
    data-claim="${claims.get(id)?.record.id ?? ""}"
    data-closing="${closing?.record.id ?? ""}"
  >
    <p>${words}</p>
    ${bar}<span class="acts" data-acts></span>
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
