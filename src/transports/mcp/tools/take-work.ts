// The tool that finds work, claims it and shows it in full, so that a model need not choose, race and read in steps of its own.
import type { Body } from "../tool-context.ts";
import type { Schema } from "../shapes.ts";
import { takenText } from "../text.ts";
import { described, fields, pick, type Tool } from "./tool.ts";
import { secretOf, type WritingOptions } from "./writing.ts";

const WAIT_S = 20;
/** So many are tried before the list is read anew, and it is read so often. */
const TRIED = 3;
const MOST_ROUNDS = 4;
/** Somebody was faster, or it has gone: there is other work. */
const LOST = new Set(["already_claimed", "reserved", "target_gone", "target_resolved", "target_unknown"]);

interface Listed {
  readonly messages: readonly { readonly id: string }[];
}

/** None at a board of an earlier release, which cannot be asked to wait for work. */
export function workingTools(options: WritingOptions): readonly Tool[] {
  const { parameters } = options.shapes.operation("get_work");
  return "wait" in parameters ? [takeWork(options, parameters)] : [];
}

function takeWork({ takesKeys }: WritingOptions, parameters: Readonly<Record<string, Schema>>): Tool {
  return {
    name: "take_work",
    description: `Finds work, claims it for you and shows it in full; waits up to 30 s (${WAIT_S}) for some. Also what you hold.`,
    input: fields({
      offers: described(parameters, "offers", "what you can do"),
      ...pick(parameters, "needs", "tags", "wait"),
      lease: "4h",
      ...secretOf({ takesKeys }),
    }),
    changes: "adds",
    async run({ lease, wait = WAIT_S, secret_key: key, ...wanted }, { ask, hand, self, marks }) {
      // Before anybody waits: without a key nothing can be claimed.
      hand.require(key);
      const mine = { claimed_by: self, status: "claimed", include: "" };
      const held = self === undefined ? [] : ((await ask("list_messages", mine)) as Listed).messages;
      const asked = { ...(self === undefined ? {} : { as: self }), ...wanted, limit: TRIED, wait };
      for (let round = 1; ; round++) {
        const { messages } = (await ask("get_work", asked)) as Listed;
        if (messages.length === 0) {
          const body = { work: null, held };
          return { body, text: takenText(body, marks) };
        }
        for (const [i, { id, ...found }] of messages.entries()) {
          try {
            const claim = { kind: "claim", ...(lease === undefined ? {} : { lease }), refs: [{ rel: "claims", id }] };
            await hand.post(claim, { secret: key });
            const body = { work: { ...found, ...((await ask("get_message", { id })) as Body) }, held };
            return { body, text: takenText(body, marks) };
          } catch (error) {
            const isLast = round === MOST_ROUNDS && i === messages.length - 1;
            if (isLast || !LOST.has((error as { code?: string }).code ?? "")) throw error;
          }
        }
      }
    },
  };
}
