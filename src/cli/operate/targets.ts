// Finds the messages and agents that an operator names, by id or by a prefix that only one has.
import { foldNamedAlias, isOperatorMailbox } from "../../core/protocol/alias-name.ts";
import { AGENT_ID, MESSAGE_ID, MESSAGE_ID_CHARS } from "../../core/protocol/encoding.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { and, atLeast, oneOf } from "../../core/query/condition.ts";
import { ORDERS } from "../../core/query/order.ts";
import { plural } from "../../core/text/plural.ts";
import { outlineOf } from "../../core/view/outline.ts";
import { displayTitle } from "../../core/view/record.ts";
import type { Found, Listed } from "../../ports/store.ts";
import { inputText } from "../input-text.ts";
import { type OperatorSession, printable, quoted } from "./operator-session.ts";

const LEAST = LIMITS.id_prefix_chars;
const START = new RegExp(`^[0-9a-f]{${LEAST},${MESSAGE_ID_CHARS - 1}}$`);
/** The number of matches of a prefix that are counted. */
const MOST_ALIKE = 50;
/** The number that is looked up, or listed, at once. */
const BATCH = 200;
const FAULTS_SHOWN = 100;

/** A message that a command is about. */
export interface Target {
  readonly id: string;
  /** A description, for the confirmation. */
  readonly words: string;
  /** Removed by the operator, and not restored. */
  readonly removed: boolean;
}

/** The whole id for an id or a prefix. A whole id need not be known to the board. */
export async function idOf(session: OperatorSession, given: string): Promise<string> {
  const { id, fault } = await wholeId(session, given);
  if (id === undefined) throw new Error(fault);
  return id;
}

/** Messages on the board or removed from it, each once, in the order given. All that cannot be found are reported together. */
export async function messagesOf(session: OperatorSession, given: readonly string[]): Promise<readonly Target[]> {
  const faults: string[] = [];
  const found = new Map<string, Target>();
  for (let i = 0; i < given.length; i += BATCH) {
    const asked = await Promise.all(given.slice(i, i + BATCH).map((one) => wholeId(session, one)));
    const ids = asked.flatMap(({ id }) => id ?? []);
    const there = await session.store.findAll(ids, session.now());
    for (const { id, fault } of asked) {
      const one = id === undefined ? undefined : there.get(id);
      if (id !== undefined && one !== undefined) found.set(id, target(id, one));
      else faults.push(fault ?? `There is no message ${id}.`);
    }
  }
  if (faults.length === 0) return [...found.values()];
  const more = faults.length > FAULTS_SHOWN ? [`and ${faults.length - FAULTS_SHOWN} more`] : [];
  throw new Error(["Nothing was done.", ...faults.slice(0, FAULTS_SHOWN), ...more].join("\n  "));
}

/** The whole id, or why there is none. */
type Whole = { readonly id: string; readonly fault?: never } | { readonly id?: never; readonly fault: string };

async function wholeId({ store, now }: OperatorSession, given: string): Promise<Whole> {
  if (MESSAGE_ID.test(given)) return { id: given };
  if (isOperatorMailbox(given)) return { fault: notAThing(given) };
  const shown = quoted(given);
  const right = `give all ${MESSAGE_ID_CHARS} characters of the id, or its first ${LEAST} or more`;
  if (!/^[0-9a-f]+$/.test(given)) return { fault: `${shown} is not an id, which is made of 0-9 and a-f: ${right}.` };
  if (!START.test(given)) return { fault: `${shown} has ${plural(given.length, "character")}: ${right}.` };
  const { live, ended } = await store.idsByPrefix(given, MOST_ALIKE, now());
  const [id, other] = [...live, ...ended];
  if (id === undefined) return { fault: `No message id starts with ${shown}.` };
  if (other === undefined) return { id };
  const count = live.length + ended.length;
  const many = Math.max(live.length, ended.length) < MOST_ALIKE ? String(count) : `${MOST_ALIKE} or more`;
  return { fault: `${many} message ids start with ${shown}, such as ${id} and ${other}: give the whole id.` };
}

/** The fault if the operator's mailbox is given, under whose name mail to the operator is stored. */
const notAThing = (given: string): string =>
  `${quoted(given)} is the operator's own mailbox, which cannot be removed or blocked: act on the subject of the mail, then close its report with \`operate reports dismiss\`.`;

/** An agent, by id or alias, and whether the board has ever seen it. */
export async function resolveAgent(
  { store, names, config }: OperatorSession,
  given: string,
): Promise<{ readonly agent: string; readonly seen: boolean }> {
  if (isOperatorMailbox(given)) throw new Error(notAThing(given));
  const agent = await names.findAgent(given);
  if (agent !== undefined) return { agent, seen: !AGENT_ID.test(given) || (await store.firstSeen(agent)) !== undefined };
  throw new Error(
    foldNamedAlias(given, config.mailDomain) === undefined
      ? `${quoted(given)} is neither an agent id (ag_ and 20 characters 0-9 a-f) nor an alias: write it without a domain, or with ${config.mailDomain}.`
      : `${quoted(given)} is not an agent id, and no agent holds it as an alias.`,
  );
}

/** All live messages of an agent, by whichever of its keys, oldest first. */
export async function messagesBy({ store, now }: OperatorSession, agent: string): Promise<readonly Target[]> {
  const condition = and(atLeast("expiresAt", now() + 1), oneOf("author", await store.keysOf(agent)));
  const found: Target[] = [];
  for (let after: Listed["position"] | undefined; ;) {
    const page = await store.list({ condition, order: ORDERS.old, after, limit: BATCH });
    for (const one of page) if ("stored" in one) found.push(target(one.stored.state.id, one));
    after = page.at(-1)?.position;
    if (after === undefined) return found;
  }
}

/** One id per line; text after `#` is a comment. */
export async function idsIn(file: string): Promise<readonly string[]> {
  const lines = (await textOf(file)).split("\n").map((line) => line.replace(/#.*$/, "").trim());
  const ids = lines.filter((line) => line !== "");
  if (ids.length === 0) throw new Error(`There is no id in ${file === "-" ? "the standard input" : file}: give one per line.`);
  return ids;
}

async function textOf(file: string): Promise<string> {
  try {
    return await inputText(file);
  } catch (error) {
    throw new Error(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}): give a file with one id per line.`, {
      cause: error,
    });
  }
}

function target(id: string, found: Found): Target {
  if ("tombstone" in found) {
    const { reason, restored } = found.tombstone;
    return { id, words: `which is ${reason} already`, removed: reason === "removed" && !restored };
  }
  const { state } = found.stored;
  const title = printable(displayTitle(outlineOf(found.stored).payload, state.author));
  return { id, words: `a ${state.kind} by ${state.author}: ${title}`, removed: false };
}
