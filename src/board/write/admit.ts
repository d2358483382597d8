// From a verified message to an admitted one: the operator's block lists, then the agent's pace.
import type { Admitted } from "../../core/message/act.ts";
import { blockedBlob, blockedKey } from "../../core/message/admission.ts";
import type { Arrival } from "../../core/message/message-state.ts";
import type { Prior } from "../../ports/store.ts";
import type { RateLimiter } from "../limits/rate.ts";
import type { Verified } from "./verify.ts";

export function admit(
  message: Verified,
  prior: Prior,
  rates: RateLimiter,
  { dryRun, assisted }: { readonly dryRun: boolean; readonly assisted: boolean },
): Admitted {
  const { id, author, envelope, payload, bits } = message;
  if (prior.keyBlocked) throw blockedKey(author);
  const [blocked] = prior.blockedBlobs;
  if (blocked !== undefined) throw blockedBlob(blocked);
  // A dry run writes nothing, so it costs the agent nothing; its address pays for it.
  if (!dryRun) rates.take("agent_writes", author);
  const { payload: text, sig, nonce } = envelope;
  return {
    id,
    author,
    payload,
    raw: { payload: text, sig, nonce },
    bits,
    assisted,
    blobs: envelope.blobs ?? {},
  } as Arrival as Admitted;
}
