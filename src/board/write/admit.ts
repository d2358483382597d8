// From a verified message to an admitted one: checks the operator's block lists, then the agent's rate limit.
import type { Admitted } from "../../core/message/acts-and-outcomes.ts";
import { blockedBlob, blockedKey } from "../../core/message/admission.ts";
import type { Arrival } from "../../core/message/message-state.ts";
import type { Precheck } from "../../ports/store.ts";
import type { RateLimiter } from "../limits/rate.ts";
import type { TextGuard } from "./text-guard.ts";
import type { Verified } from "./verify.ts";

export function admit(
  message: Verified,
  precheck: Precheck,
  rates: RateLimiter,
  guard: Pick<TextGuard, "enter" | "wouldEnter">,
  { dryRun, assisted }: { readonly dryRun: boolean; readonly assisted: boolean },
): { readonly arrival: Admitted; readonly takeBack: () => void } {
  const { id, author, envelope, payload, bits } = message;
  if (precheck.keyBlocked) throw blockedKey(author);
  const [blocked] = precheck.blockedBlobs;
  if (blocked !== undefined) throw blockedBlob(blocked);
  // A dry run writes nothing, so only the address pays for it, not the agent.
  if (!dryRun) rates.take("agent_writes", precheck.payer);
  const { payload: text, sig, nonce } = envelope;
  const { noticed, takeBack } = dryRun ? guard.wouldEnter(message.looked, author) : guard.enter(message.looked, author);
  const arrival: Arrival = {
    id,
    author,
    payload,
    raw: { payload: text, sig, nonce },
    bits,
    assisted,
    blobs: envelope.blobs ?? {},
    noticed,
  };
  return { arrival: arrival as Admitted, takeBack };
}
