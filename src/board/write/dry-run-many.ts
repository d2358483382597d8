// A dry run of many posts in their order: each sees the effects of the ones before, and all are undone.
import { type Admitted, isRefused, type PostedOutcome, type RefusedOutcome } from "../../core/message/acts-and-outcomes.ts";
import type { Draft } from "../../core/protocol/envelope.ts";
import type { Precheck } from "../../ports/store.ts";
import { type Append, thrownOf } from "./append.ts";
import { type CheckedPost, type Entering, type MayEnter, type PostResult, postedOf, type PostSteps } from "./post-steps.ts";

export interface RehearsalParts {
  readonly append: Append;
  readonly admitted: (checked: MayEnter) => Entering;
  readonly known: (draft: Draft, precheck: Precheck) => Promise<PostResult>;
  readonly pointedElsewhere: (error: unknown, agent: string) => Promise<unknown>;
}

export function rehearser({ append, admitted, known, pointedElsewhere }: RehearsalParts): PostSteps["rehearse"] {
  return (all) => {
    const entering = new Map(all.flatMap((one) => ("verified" in one ? [[one as CheckedPost, attempt(one, admitted)] as const] : [])));
    const arrivals = [...entering.values()].flatMap((one) => ("arrival" in one ? [one.arrival] : []));
    const outcomes = rehearsed(append, arrivals);
    return all.map(async (one) => {
      const tried = entering.get(one);
      if (tried === undefined) return known(one.draft, one.precheck);
      if ("failed" in tried) throw tried.failed;
      const outcome = (await outcomes)[arrivals.indexOf(tried.arrival)]!;
      if (isRefused(outcome)) throw await pointedElsewhere(thrownOf(outcome), one.draft.author);
      return postedOf(tried.checked, tried.arrival, outcome, { tokens: 1, brake: tried.brake, payer: one.precheck.payer });
    });
  };
}

async function rehearsed(append: Append, arrivals: readonly Admitted[]): Promise<readonly (PostedOutcome | RefusedOutcome)[]> {
  return arrivals.length === 0 ? [] : (await append({ type: "rehearsal", arrivals })).each;
}

function attempt(checked: MayEnter, admitted: RehearsalParts["admitted"]) {
  try {
    return { checked, ...admitted(checked) };
  } catch (error) {
    return { failed: error };
  }
}
