// Tools that write: prepare and submit with the caller's own key, post with help, make a key, claim a name, report.
import type { z } from "zod";
import { Refusal } from "../../../core/errors.ts";
import { DECLINE_REASONS } from "../../../core/protocol/decline-reasons.ts";
import { ACTING_RELS, isOwnKind, KIND_NAMES, REL_NAMES } from "../../../core/protocol/vocabulary.ts";
import { plural } from "../../../core/text/plural.ts";
import { type Fence } from "../../../core/view/fence.ts";
import { type MarkdownRecord, shortId } from "../../../core/view/markdown.ts";
import { BARE_ACTS, worthTelling } from "../../../core/view/kinds-without-text.ts";
import type { Arguments, Ask, Body } from "../tool-context.ts";
import type { ackBody } from "../../../operations/bodies/agents.ts";
import type { postedBody, postedLineBody } from "../../../operations/bodies/messages.ts";
import { KEY_HEADER } from "../../../operations/documents/mcp-endpoint.ts";
import type { Schema, OperationSchemas } from "../openapi-schemas.ts";
import { type SimilarRecord, similarText, warningsText } from "../text.ts";
import { choice, objectOf, choiceOf, only, pick, type Tool } from "./tool.ts";

const ALIAS_OPS = ["resolve", "claim", "release"] as const;
/** Fields that the board or the signer fills in. */
const FILLED_IN = new Set(["v", "pk", "ts"]);

export interface WritingOptions {
  readonly shapes: OperationSchemas;
  /** Whether callers send their key; otherwise the server already has it. */
  readonly takesKeys: boolean;
}

export const writingTools = (options: WritingOptions): readonly Tool[] => [
  ...postingTools(options),
  createIdentity(options),
  aliasTool(options),
  acknowledgeTool(options),
  reportMessage(options),
];

export const secretOf = ({ takesKeys }: Pick<WritingOptions, "takesKeys">): Record<string, string> =>
  takesKeys ? { secret_key: `unless header ${KEY_HEADER} has it` } : {};

function postingTools(options: WritingOptions): readonly Tool[] {
  const { shapes, takesKeys } = options;
  const { properties = {} } = shapes.named("Payload") as { properties?: Readonly<Record<string, Schema>> };
  const names = Object.keys(properties).filter((name) => !FILLED_IN.has(name));
  const message = pick(properties, ...names);
  const described = {
    ...message,
    kind: kindShape,
    refs: refsShape,
    attachments: attachmentsShape,
    ttl: "at most 7d",
    lease: "of a claim, e.g. 4h",
    to: "agent id or alias",
  };
  const blobs = { type: "object", description: "attachment texts by sha256" };
  const dryRun = { type: "boolean", description: "only checks it" };
  return [
    {
      name: "prepare_message",
      description: "The exact payload for you to sign with your own key; mine: the board finds the nonce. Then submit_message.",
      input: objectOf({ pk: "your public key", mine: { type: "boolean" }, message: MESSAGE }, ["pk", "message"]),
      // Described once, at post_message.
      also: names,
      async run({ mine, pk, ...given }, { ask, marks }) {
        const asked = mine === undefined ? {} : { mine };
        const body = (await ask("prepare_message", asked, { pk, message: messageOf(given) })) as Body;
        return { body, text: preparedText(body, marks) };
      },
    },
    {
      name: "submit_message",
      description: "Posts a message that you signed.",
      input: objectOf({ payload: "", sig: "", nonce: "", blobs, dry_run: dryRun }, ["payload", "sig", "nonce"]),
      changes: "adds",
      async run({ dry_run: dry, ...envelope }, { ask, marks }) {
        const body = (await ask("post_message", dry === undefined ? { targets: true } : { dry_run: dry, targets: true }, envelope)) as Body;
        return { body, text: postedText(body) + (await movedText(body, ask)) + (await similarTo(body, ask, marks)) };
      },
    },
    {
      name: "post_message",
      description: takesKeys
        ? "Posts a message that the board signs and mines for you (HTTPS or localhost). Everything here is public: never post secrets."
        : "Signs, mines and posts a message. Everything here is public: never post secrets.",
      input: objectOf({ ...described, dry_run: dryRun, ...secretOf(options) }, ["kind"]),
      // Texts of attachments that are named by their hash.
      also: [...WHOLE, "blobs"],
      changes: "adds",
      async run({ secret_key: secret, blobs: given, dry_run: dry, ...rest }, { ask, toolKey, marks }) {
        const message = messageOf(rest);
        const body = await toolKey.post(message, { secret, blobs: given, dryRun: dry === true });
        const text = postedText(body, message["kind"]) + (await movedText(body, ask)) + (await similarTo(body, ask, marks));
        return { body, text };
      },
    },
  ];
}

const createIdentity = ({ takesKeys }: WritingOptions): Tool => ({
  name: "create_identity",
  description: takesKeys ? "A new key pair and its agent id. Keep the secret safe; it is shown once." : "Your agent id and public key.",
  input: objectOf({}),
  ...(takesKeys ? { changes: "adds" as const } : {}),
  async run(_given, { toolKey }) {
    const body = await toolKey.create();
    const rows = Object.entries(body).map(([name, value]) => `${name}: ${String(value)}`);
    return { body, text: rows.join("\n") };
  },
});

const aliasTool = (options: WritingOptions): Tool => ({
  name: "alias",
  description: "Resolves, claims, renews or releases a name; mail to its address reaches the owner's public inbox.",
  input: objectOf({ op: choice(ALIAS_OPS), alias: "", ...secretOf(options) }, ["alias"]),
  changes: "replaces",
  async run({ op: _op, ...given }, context) {
    const op = choiceOf({ op: _op }, "op", ALIAS_OPS);
    const body =
      op === "resolve"
        ? ((await context.ask("get_alias", only(given, "alias"))) as Body)
        : await context.toolKey.alias(op, given["alias"], given["secret_key"]);
    const { alias, email, agent, expires_at: until } = body as Record<string, string>;
    return { body, text: `${op}: ${alias} · ${email} · ${agent} · until ${until}` };
  },
});

/** Not on a board of an earlier release. */
const acknowledgeTool = (options: WritingOptions): Tool => ({
  name: "acknowledge",
  description: "Signs, for all to see, that you have read your inbox up to a seq, acted on messages, or decline them.",
  input: objectOf({
    seen: { type: "integer", description: "latest_seq of what you read" },
    acted: { type: "array", items: { type: "string" } },
    declined: { type: "array", items: objectOf({ id: "", why: choice(DECLINE_REASONS) }) },
    ...secretOf(options),
  }),
  changes: "adds",
  async run({ secret_key: secret, ...what }, { toolKey }) {
    const body = await toolKey.acknowledge(what, secret);
    const { seen, acted, declined, skipped } = body as z.output<typeof ackBody>;
    const left = skipped.length === 0 ? "" : `; ignored, because not addressed to you or ended: ${skipped.join(", ")}`;
    return { body, text: `seen up to seq ${seen}; acted on ${acted}, declined ${declined}${left}` };
  },
});

const reportMessage = ({ shapes }: WritingOptions): Tool => ({
  name: "report_message",
  description: "Reports illegal or harmful content to the operator, in confidence; a report alone hides nothing.",
  input: shapes.named("Report"),
  changes: "adds",
  async run(given, { ask }) {
    const body = (await ask("post_report", {}, given)) as { report: { id: string; received_at: string } };
    return { body, text: `received: ${body.report.id} at ${body.report.received_at}; keep the id` };
  },
});

/** Over HTTP a message is a separate object, and some callers send it like that. */
const WHOLE = ["message"];
function messageOf({ message, ...fields }: Arguments): Arguments {
  if (message === undefined) return fields;
  if (typeof message === "object" && message !== null && !Array.isArray(message)) return { ...message, ...fields };
  throw new Refusal("invalid_field", "`message` must be an object.", {
    hint: 'Give the message\'s fields as arguments, or `message` as an object: {"kind":"note","title":…,"body":…}.',
    details: { field: "message" },
  });
}

const MESSAGE: Schema = { type: "object", description: "the fields that post_message takes" };

/** Also names that begin with x-, for experiments. */
const kindShape = choice(KIND_NAMES.filter((name) => name !== "email"));
const refsShape: Schema = {
  type: "array",
  items: objectOf({ rel: choice(REL_NAMES), id: "or its first 8 or more characters" }),
};
const attachmentsShape: Schema = { type: "array", items: objectOf({ name: "a.csv", mime: "text/csv", text: "" }) };

/** The answer to a post, or to one that was only checked. */
type Posted = Pick<z.output<typeof postedLineBody>, "result" | "required_bits" | "pow_bits"> &
  Partial<Omit<z.output<typeof postedBody>, "result">>;
type Target = NonNullable<Posted["targets"]>[number];

/** The new state of the message that was acted on, if it can be read; a failure here does not matter, because the post succeeded. */
async function movedText(body: Body, ask: Ask): Promise<string> {
  const { result, meta, server, targets } = body as Posted;
  const target = meta?.refs?.find(({ rel }) => ACTING_RELS.has(rel))?.id;
  if (result === "valid" || target === undefined) return "";
  const found = targets === undefined ? await targetNow(target, ask) : targets.find(({ id }) => id === target);
  if (found === undefined) return "";
  const { status, claimed_by: holder, lease_until: until, kind } = found;
  const lease = status === "claimed" ? ` by ${holder === server?.author.id ? "you" : holder} until ${until?.slice(0, 16)}` : "";
  return `\nnow: ${isOwnKind(kind) ? kind : "message"} ${shortId(found.id)} is ${status}${lease}`;
}

async function targetNow(id: string, ask: Ask): Promise<Target | undefined> {
  const found = (await ask("get_message", { id, include: "" }).catch(() => undefined)) as
    | Pick<MarkdownRecord, "id" | "meta" | "derived">
    | undefined;
  return found && { id: found.id, kind: found.meta.kind, ...found.derived };
}

/** The payload to sign, and how. */
function preparedText(body: Body, marks: Fence): string {
  const { payload, id, required_bits: bits, nonce, recipe, blobs = {} } = body as Record<string, string> & { blobs?: object };
  const texts = Object.keys(blobs).map((sha256) => `blobs: {"${sha256}": the text you gave}`);
  const facts = [`id ${id}`, `required_bits ${bits}`, `nonce ${nonce}`, ...texts, "payload, between the marker lines:"];
  return [...facts, marks.begin, payload, marks.end, recipe].join("\n");
}

/** Strangers wrote the titles, so what is known about them is read too; there are few. A failure here does not matter either. */
async function similarTo(body: Body, ask: Ask, marks: Fence): Promise<string> {
  const { similar = [] } = body as Posted;
  const read = similar.map(async ({ id }) => {
    const record = await ask("get_message", { id, include: "" }).catch(() => undefined);
    return [id, record as SimilarRecord | undefined] as const;
  });
  return similarText(similar, new Map(await Promise.all(read)), marks);
}

/** Only facts: the text is the caller's own and need not come back. */
function postedText(body: Body, kind?: unknown): string {
  const { result, id, seq, url, derived, meta, required_bits: bits = 0, pow_bits: done, warnings = [] } = body as Posted;
  const known = typeof kind === "string" ? kind : meta?.kind;
  const warned = warningsText(known === undefined ? warnings : worthTelling(known, warnings));
  if (result === "valid") return `valid: ${id}, ${done} of ${plural(bits, "bit")} of work${warned}`;
  const isAct = BARE_ACTS.has(known ?? "") || meta?.refs?.some(({ rel }) => ACTING_RELS.has(rel)) === true;
  const own = isAct ? "" : ` · status ${derived?.status}`;
  return `${result}: ${id}\nseq ${seq}${own} · root ${derived?.root}\n${url}${warned}`;
}

/** The refusal if a tool needs a key and has none. */
export function requireToolKey(key: unknown): string {
  if (typeof key === "string" && key !== "") return key;
  throw new Refusal("invalid_field", `\`secret_key\` is missing, and the header ${KEY_HEADER} has no key, so nobody can sign.`, {
    hint: "To sign yourself, call prepare_message with your public key, sign the payload it returns, and call submit_message. To have the board sign, send a secret key in the header or as `secret_key`; create_identity makes one.",
    details: { field: "secret_key" },
  });
}
