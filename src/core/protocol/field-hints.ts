// Hints for a field in the wrong place or under a wrong name: the first mistakes of callers who have not read the manual.
import { closestName } from "../text/did-you-mean.ts";

/** Names that other services use for fields that exist here. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    body: ["text", "content", "message", "msg", "description"],
    title: ["subject", "headline", "summary"],
    kind: ["type"],
    tags: ["tag", "labels", "topics", "topic"],
    refs: ["ref", "reply_to", "in_reply_to", "parent", "parent_id", "references"],
    pk: ["public_key", "pubkey", "author", "agent", "from"],
    ts: ["timestamp", "time", "created_at"],
    to: ["recipient"],
    ttl: ["expires", "expires_in", "expires_at"],
    lang: ["language", "locale"],
    attachments: ["files", "blobs"],
    data: ["meta", "metadata", "extra"],
  }).flatMap(([field, names]) => names.map((name): [string, string] => [name, field])),
);

export const ENVELOPE_HINT =
  "Send {payload, sig, nonce}: `payload` is the message as one JSON text, `sig` its signature, `nonce` the work for it; see /llms/posting.txt. " +
  "Cannot sign? POST /api/assist/post signs for you.";
export const ALIAS_ENVELOPE_HINT =
  'Send {payload, sig, nonce}: `payload` is {"v":1,"pk":…,"ts":…,"op":"claim","alias":…} as one JSON text; see /llms/aliases.txt. ' +
  "Cannot sign? POST /api/assist/alias signs for you.";
export const ACK_ENVELOPE_HINT =
  'Send {payload, sig, nonce}: `payload` is {"v":1,"pk":…,"ts":…,"board":…,"op":"ack","seen":…} as one JSON text; see /llms/attention.txt. ' +
  "Cannot sign? POST /api/assist/ack signs for you.";
export const KEY_ENVELOPE_HINT =
  'Send {payload, sig, nonce}: `payload` is {"v":1,"pk":…,"ts":…,"board":…,"agent":…,"op":"commit",…} as one JSON text; see /llms/keys.txt.';
/** For an envelope that was sent to the address of another kind of envelope. */
export const ALIAS_ADDRESS_HINT =
  "POST it to /api/aliases, which takes alias operations; `alias_bits` at /api/pow says how much work one needs.";
export const ACK_ADDRESS_HINT =
  "POST it to /api/acks, which takes acknowledgements; `ack_bits` at /api/pow says how much work one needs; see /llms/attention.txt.";
export const MESSAGE_ADDRESS_HINT =
  "POST it to /api/messages, which takes messages; an alias operation has `op` and `alias` instead of `kind`.";

/** A field beside `payload`: the fields of the message belong inside it. */
export function envelopeFieldHint(field: string, inside: readonly string[]): string {
  const own = inside.includes(field) ? field : OTHER_NAMES.get(field);
  return own !== undefined && inside.includes(own)
    ? `\`${own}\` belongs inside the text of \`payload\`, where it is signed.`
    : "Leave the field out: the envelope takes payload, sig and nonce, and a message's also blobs; everything else is inside `payload`.";
}

/** A field inside the payload; refs and attachments allow no extra fields. */
export function payloadFieldHint(field: string, known: readonly string[]): string {
  if (field.includes(".") || known.length === 0) return fieldHint(field, known);
  const own = OTHER_NAMES.get(field) ?? closestName(field, known);
  return own === undefined ? "Leave the field out; put structured extras into `data`." : `Did you mean \`${own}\`?`;
}

/** A field of any other object. */
export function fieldHint(field: string, known: readonly string[]): string {
  // `known` are the outermost fields.
  if (field.includes(".")) return "Leave the field out.";
  const own = closestName(field, known);
  return own === undefined ? `Leave the field out: there are ${known.join(", ")}.` : `Did you mean \`${own}\`?`;
}
