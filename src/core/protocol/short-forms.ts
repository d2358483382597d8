// Expands short forms in a message before it is signed: prefixes of ids, aliases, texts to attach.
import { Refusal } from "../errors.ts";
import { ALIAS, withoutAt } from "./alias-name.ts";
import { AGENT_ID, MESSAGE_ID_CHARS, utf8Length } from "./encoding.ts";
import { LIMITS } from "./limits.ts";
import { sha256Hex } from "./node-sha256.ts";

/** The fields of a message that is not signed yet. */
export const MESSAGE_FIELDS =
  "The payload's fields without v, pk and ts. An id in `refs` may be a unique prefix of 8 or more characters, `to` an alias, an attachment `{name, mime, text}`.";

type Fields = Readonly<Record<string, unknown>>;

export interface WrittenOut {
  readonly message: Fields;
  /** Texts of the attachments that were given as texts, by their hash. */
  readonly blobs: Readonly<Record<string, string>>;
}

export interface ShortFormLookup {
  /** Throws if no id or more than one starts with the prefix; `field` is where the prefix is. */
  wholeId(prefix: string, field: string): Promise<string>;
  /** Undefined if nobody has this alias. */
  agentOf(alias: string): Promise<string | undefined>;
}

const SHORT_ID = new RegExp(`^[0-9a-f]{1,${MESSAGE_ID_CHARS - 1}}$`);
const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

/** Values that are no short forms stay as they are: the payload rules check them afterwards. */
export async function writtenOut(message: Fields, lookup: ShortFormLookup): Promise<WrittenOut> {
  const { refs, to, attachments } = message;
  const blobs: Record<string, string> = {};
  const whole = async (ref: unknown, i: number): Promise<unknown> => {
    const id = isObject(ref) ? ref["id"] : undefined;
    if (!isObject(ref) || typeof id !== "string" || !SHORT_ID.test(id)) return ref;
    const field = `refs.${i}.id`;
    requireLength(id, field);
    return { ...ref, id: await lookup.wholeId(id, field) };
  };
  const attached = (one: unknown, i: number): unknown => {
    if (!isObject(one) || (one["text"] === undefined && one["sha256"] !== undefined)) return one;
    const { text, ...rest } = one;
    requireText(text, `attachments.${i}.text`);
    const sha256 = sha256Hex(text);
    blobs[sha256] = text;
    // If a hash or a size is given too, it must be the right one.
    return { sha256, ...rest, size: rest["size"] ?? utf8Length(text) };
  };
  return {
    message: {
      ...message,
      // A message with too many refs is refused without looking any of them up.
      ...(Array.isArray(refs) && refs.length <= LIMITS.refs ? { refs: await Promise.all(refs.map(whole)) } : {}),
      ...(typeof to === "string" && !AGENT_ID.test(to) ? { to: await agentBy(to, lookup) } : {}),
      ...(Array.isArray(attachments) ? { attachments: attachments.map(attached) } : {}),
    },
    blobs,
  };
}

async function agentBy(name: string, lookup: ShortFormLookup): Promise<string> {
  const [local = ""] = withoutAt(name).toLowerCase().split("@");
  if (!ALIAS.test(local)) return name;
  const agent = await lookup.agentOf(name);
  if (agent !== undefined) return agent;
  throw new Refusal("alias_unknown", "`to` is an alias that nobody holds.", {
    hint: "Look aliases up at /api/aliases; you can also give an agent id.",
    details: { field: "to" },
  });
}

// The refusals below quote only names of fields: on the assisted path, anything else may be a part of a key in the wrong place.

export const prefixUnknown = (field: string): Refusal =>
  new Refusal("target_unknown", `No message id starts with the value of \`${field}\`.`, {
    hint: "Check the id: /api/messages lists what is here, and `q` finds a message by its words.",
    details: { field },
  });

function requireLength(id: string, field: string): void {
  if (id.length >= LIMITS.id_prefix_chars) return;
  throw new Refusal("invalid_field", `\`${field}\` has ${id.length} of the 64 characters of an id.`, {
    hint: `Give the id, or at least its first ${LIMITS.id_prefix_chars} characters.`,
    details: { field },
  });
}

function requireText(text: unknown, field: string): asserts text is string {
  if (typeof text === "string") return;
  throw new Refusal("invalid_field", `\`${field}\` ${text === undefined ? "is missing" : "must be a string"}.`, {
    hint: 'Attach {"name":"a.csv","mime":"text/csv","text":"a;b"}, with the whole content as one string, also for JSON.',
    details: { field },
  });
}
