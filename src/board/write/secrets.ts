// Refuses messages that contain a credential: one that is known by its form, or the author's own key.
import { findSecret, secretRefusal } from "../../core/guard/secrets.ts";
import { fromBase64url } from "../../core/protocol/encoding.ts";
import type { Payload } from "../../core/protocol/payload.ts";
import type { SigningKeys } from "../../ports/signing-key.ts";

/** Throws if the message, or a text sent with it, contains a secret. */
export type RequireNoSecret = (payload: Pick<Payload, "pk"> & Partial<Payload>, blobs?: Readonly<Record<string, string>>) => void;

/** All free text of a payload. */
const FREE_FIELDS = ["title", "body", "data", "kind", "data_schema", "tags", "needs", "offers", "attachments"] as const;

/** Limits the candidates: computing the public key of a seed costs about as much as checking a signature. */
const SEEDS_TRIED = 4;

export function secretGuard(keys: SigningKeys): RequireNoSecret {
  return (payload, blobs) => {
    let tried = 0;
    const isOwn = (text: string): boolean =>
      text !== payload.pk && ++tried <= SEEDS_TRIED && keys.from(fromBase64url(text)).pk === payload.pk;
    for (const field of FREE_FIELDS) {
      const found = findSecret(payload[field], field, isOwn);
      if (found !== undefined) throw secretRefusal(found);
    }
    const found = findSecret(blobs, "blobs", isOwn);
    if (found !== undefined) throw secretRefusal(found);
  };
}
