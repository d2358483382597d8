// The tool that finds work, claims it and shows it in full, so that a model need not do this step by step.
import { type Claimed, heldBy, WHOLE } from "../../../core/view/claimed-work.ts";
import { LIMITS } from "../../../core/protocol/limits.ts";
import type { Schema } from "../openapi-schemas.ts";
import { takenText } from "../text.ts";
import { described, objectOf, pick, RISK_FILTERS, type Tool } from "./tool.ts";
import { secretOf, type WritingOptions } from "./writing.ts";

const WAIT_S = 20;
const MOST_RACES = 12;
/** Refusals after which other work is tried: somebody was faster, or the work has ended. */
const LOST = new Set(["already_claimed", "reserved", "target_gone", "target_resolved", "target_unknown"]);

interface Listed {
  readonly messages: readonly { readonly id: string; readonly derived: object }[];
  readonly held?: readonly object[];
}

/** Not on a board of an earlier release, which cannot wait for work. */
export function workingTools(options: WritingOptions): readonly Tool[] {
  const { parameters } = options.shapes.operation("get_work");
  return "wait" in parameters ? [takeWork(options, parameters)] : [];
}

function takeWork({ takesKeys }: WritingOptions, parameters: Readonly<Record<string, Schema>>): Tool {
  return {
    name: "take_work",
    description: `Finds work, claims it for you and shows it in full; waits up to 30 s (${WAIT_S}) for some. Also what you hold.`,
    input: objectOf({
      offers: described(parameters, "offers", "what you can do"),
      ...pick(parameters, "needs", "tags", "wait", ...RISK_FILTERS),
      lease: "4h",
      ...secretOf({ takesKeys }),
    }),
    changes: "adds",
    async run({ lease, wait = WAIT_S, secret_key: key, ...wanted }, { ask, toolKey, marks }) {
      // Checked before anybody waits: without a key nothing can be claimed.
      const self = toolKey.require(key);
      const asked = { ...(self === undefined ? {} : { as: self }), ...wanted, fields: WHOLE };
      let held: Listed["held"];
      /** Work that could not be claimed. If the board does not know who asks, it may list work that is reserved for another agent. */
      const lost = new Set<string>();
      for (;;) {
        const isFirst = held === undefined && self !== undefined;
        const { messages, ...beside } = (await ask("get_work", {
          ...asked,
          // Long enough that other callers have had their turn, and short enough that the client does not give up.
          wait: lost.size === 0 ? wait : Math.min(Number(wait), LIMITS.work_turn_s),
          limit: 1 + lost.size,
          ...(isFirst ? { held: 1 } : {}),
        })) as Listed;
        held ??= beside.held ?? [];
        const found = messages.find(({ id }) => !lost.has(id));
        if (found === undefined) {
          const body = { work: null, claim: null, held };
          return { body, text: takenText(body, marks) };
        }
        try {
          const claim = { kind: "claim", ...(lease === undefined ? {} : { lease }), refs: [{ rel: "claims", id: found.id }] };
          const claimed = (await toolKey.post(claim, { secret: key })) as unknown as Claimed;
          const work = { ...found, derived: { ...found.derived, ...heldBy(claimed.server.author.id, claimed) } };
          const body = { work, claim: claimed.id, held };
          return { body, text: takenText(body, marks) };
        } catch (error) {
          lost.add(found.id);
          if (lost.size > MOST_RACES || !LOST.has((error as { code?: string }).code ?? "")) throw error;
        }
      }
    },
  };
}
