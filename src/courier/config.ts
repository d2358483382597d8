// The settings file of a courier: the board, the inbox, the state file, and the deliveries.
import { readFileSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { z } from "zod";
import { home } from "../adapters/system/home.ts";
import { INBOX_REASONS } from "../core/message/inbox-types.ts";
import { AGENT_ID } from "../core/protocol/encoding.ts";
import { KIND_NAMES, kindOf } from "../core/protocol/vocabulary.ts";

/** All errors in the file at once, each with what would be right. */
export class CourierFaults extends Error {
  override readonly name = "CourierFaults";

  constructor(path: string, faults: readonly string[]) {
    super([`The configuration ${path} cannot be used:`, ...faults.map((fault) => `  ${fault}`)].join("\n"));
  }
}

export const DEFAULT_CONFIG = join(home(), ".config", "agent-blackboard", "courier.json");
const DEFAULT_STATE = join(home(), ".local", "state", "agent-blackboard", "courier");

const httpUrl = z.string().refine((text) => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}, "must be an address that starts with https:// or http://, without a name or password in it");

const seconds = (least: number, most: number) =>
  z
    .number(`must be a number of seconds from ${least} to ${most}`)
    .min(least, `must be at least ${least}`)
    .max(most, `must be at most ${most}`);

/** What the courier itself acknowledges; nothing unless configured. */
const acks = <const Allowed extends readonly ["none", ...string[]]>(allowed: Allowed) =>
  z.enum(allowed, `must be one of ${allowed.join(", ")}`).default("none" as never);

const shared = {
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, "must be 1 to 32 lower-case letters, digits and hyphens")
    .optional(),
  kinds: z
    .array(z.string().refine((kind) => kindOf(kind) !== undefined, `must be one of ${KIND_NAMES.join(", ")}, or start with x-`))
    .min(1, "must name a kind, or be left out")
    .optional(),
  reasons: z
    .array(z.enum(INBOX_REASONS, `must be one of ${INBOX_REASONS.join(", ")}`))
    .min(1, "must name a reason, or be left out")
    .optional(),
  batch: z.number().int("must be a whole number").min(1, "must be at least 1").max(64, "must be at most 64").default(16),
  /** The first wait after a failure; each wait is twice as long as the one before, up to `retry_most_s`. */
  retry_s: seconds(0.01, 300).default(1),
  retry_most_s: seconds(0.01, 3600).default(300),
};

const COMMAND = 'must be a list: the program, then its arguments, such as ["/home/me/bin/wake-agent", "--quiet"]';
const command = z
  .array(z.string(COMMAND), COMMAND)
  .min(1, COMMAND)
  .refine(([program]) => program !== "", COMMAND);

const execShape = {
  command,
  input: z.enum(["json", "md"], "must be json or md").default("json"),
  timeout_s: seconds(1, 86_400).default(600),
};

const exec = z.strictObject({ adapter: z.literal("exec"), ...shared, ...execShape, ack: acks(["none", "seen", "acted"]) });

const SECRET = /^whsec_[A-Za-z0-9+/]+={0,2}$/;
const SECRET_BYTES = { least: 24, most: 64 };
const webhookSecret = z.string().refine((text) => {
  const { length } = Buffer.from(text.replace("whsec_", ""), "base64");
  return SECRET.test(text) && length >= SECRET_BYTES.least && length <= SECRET_BYTES.most;
}, "must be whsec_ and 24 to 64 bytes in base64, such as: echo whsec_$(openssl rand -base64 32)");

const requests = { allow_private: z.boolean("must be true or false").default(false), timeout_s: seconds(1, 600).default(15) };

const webhook = z.strictObject({
  adapter: z.literal("webhook"),
  ...shared,
  ...requests,
  url: httpUrl,
  secret: webhookSecret,
  text: z.boolean("must be true or false").default(false),
  ack: acks(["none", "seen", "acted"]),
});

const ntfy = z.strictObject({
  adapter: z.literal("ntfy"),
  ...shared,
  ...requests,
  server: httpUrl.default("https://ntfy.sh"),
  topic: z.string().regex(/^[-_A-Za-z0-9]{1,64}$/, "must be 1 to 64 letters, digits, hyphens and underscores"),
  token: z
    .string()
    .regex(/^[!-~]+$/, "must be one word of printable ASCII")
    .optional(),
  text: z.boolean("must be true or false").default(false),
  ack: acks(["none"]),
});

const channel = z.strictObject({
  adapter: z.literal("mcp-channel"),
  ...shared,
  ack_within_s: seconds(0.01, 3600).default(60),
  /** The command to run if no client has acknowledged in time. */
  fallback: z.strictObject(execShape).optional(),
  ack: acks(["none"]),
});

const delivery = z.discriminatedUnion("adapter", [exec, webhook, ntfy, channel], "must have `adapter`: exec, webhook, ntfy or mcp-channel");
type GivenDelivery = z.infer<typeof delivery>;
export type ExecSettings = z.infer<z.ZodObject<typeof execShape>>;
export type WebhookSettings = z.infer<typeof webhook>;
export type NtfySettings = z.infer<typeof ntfy>;
export type Delivery = GivenDelivery & { readonly name: string };

const file = z.strictObject({
  board: httpUrl,
  key_file: z.string().min(1, "must not be empty").optional(),
  agent: z.string().regex(AGENT_ID, "must be an agent id: ag_ and 20 hex characters").optional(),
  state: z.string().min(1, "must not be empty").optional(),
  /** Where to begin if nothing was delivered yet. */
  from: z.enum(["unread", "now", "all"], "must be unread, now or all").optional(),
  deliver: z.array(delivery).min(1, "must have at least one delivery"),
});

export interface CourierConfig {
  readonly board: string;
  /** The key that signs acknowledgements. */
  readonly keyFile: string | undefined;
  /** Whose inbox; if left out, that of the key. */
  readonly agent: string | undefined;
  readonly state: string;
  readonly from: "unread" | "now" | "all" | undefined;
  readonly deliver: readonly Delivery[];
}

/** Throws `CourierFaults`, whose messages quote no value of the file, because some are secret. */
export function readCourierConfig(path: string): CourierConfig {
  const text = textOf(path);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new CourierFaults(path, ["it is not JSON: check commas, quotes and brackets"]);
  }
  const read = file.safeParse(value);
  if (!read.success) throw new CourierFaults(path, read.error.issues.map(faultOf));
  const { board, key_file: key, agent, state, from, deliver } = read.data;
  const faults = crossFaults(read.data);
  if (faults.length > 0) throw new CourierFaults(path, faults);
  const at = (given: string): string => (isAbsolute(given) ? given : resolve(dirname(path), given));
  return {
    board: board.replace(/\/+$/, ""),
    keyFile: key === undefined ? undefined : at(key),
    agent,
    state: state === undefined ? DEFAULT_STATE : at(state),
    from,
    deliver: deliver.map((one) => ({ ...withPlace(one, at), name: one.name ?? one.adapter })),
  };
}

/** Paths are relative to the directory of the file; a program without a slash is looked up on the PATH. */
function withPlace(one: GivenDelivery, at: (given: string) => string): GivenDelivery {
  const placed = <Some extends ExecSettings>(settings: Some): Some => {
    const [program = "", ...args] = settings.command;
    return { ...settings, command: [program.includes("/") ? at(program) : program, ...args] };
  };
  if (one.adapter === "exec") return placed(one);
  return one.adapter === "mcp-channel" && one.fallback !== undefined ? { ...one, fallback: placed(one.fallback) } : one;
}

function textOf(path: string): string {
  try {
    const { mode } = statSync(path);
    if (process.platform !== "win32" && (mode & 0o077) !== 0)
      throw new CourierFaults(path, [`others can read it, and it may contain secrets: chmod 600 ${path}`]);
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof CourierFaults) throw error;
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw new CourierFaults(path, [isMissing ? "there is no such file; docs/attention.md has an example" : (error as Error).message]);
  }
}

/** Errors that concern more than one field. */
function crossFaults({ key_file: key, agent, deliver }: z.infer<typeof file>): string[] {
  const faults: string[] = [];
  if (key === undefined && agent === undefined) faults.push("`key_file` or `agent` must say whose inbox it is");
  if (key === undefined && deliver.some(({ ack }) => ack !== "none"))
    faults.push("`key_file` is needed if `ack` is not none, to sign acknowledgements");
  const names = deliver.map(({ name, adapter }) => name ?? adapter);
  for (const twice of new Set(names.filter((name, at) => names.indexOf(name) !== at)))
    faults.push(`two deliveries are called ${twice}: give each its own \`name\``);
  for (const [at, one] of deliver.entries()) {
    const address = one.adapter === "webhook" ? one.url : one.adapter === "ntfy" ? one.server : undefined;
    if (address?.startsWith("http:") === true && "allow_private" in one && !one.allow_private)
      faults.push(`deliver.${at}: an address without https is for private networks: set \`allow_private\`, or use https`);
  }
  return faults;
}

function faultOf({ path, message, code, ...issue }: z.core.$ZodIssue): string {
  const place = path.length === 0 ? "the file" : `\`${path.join(".")}\``;
  if (code === "unrecognized_keys") return `${place} has unknown settings: ${(issue as { keys: readonly string[] }).keys.join(", ")}`;
  return `${place} ${/^(must|expected)/i.test(message) ? message : `is not right: ${message}`}`;
}
