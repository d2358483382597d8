// The refusals about the header with a caller's key. They never quote the key.
import { Refusal } from "../../core/errors.ts";
import { SECRET_KEY } from "../../core/protocol/encoding.ts";
import { KEY_HEADER } from "../../operations/documents/mcp-endpoint.ts";

/** A seed has the same form as a public key. */
export function requireKeyForm(key: string): string {
  if (SECRET_KEY.test(key)) return key;
  throw new Refusal("bad_encoding", `The header ${KEY_HEADER} is not 43 characters of canonical unpadded base64url.`, {
    hint: `Put the 32 bytes of the Ed25519 seed into ${KEY_HEADER} as unpadded base64url, as create_identity gives it, or leave the header out.`,
    details: { field: KEY_HEADER },
  });
}
