// `blackboard key`: commit to the next key, rotate, revoke, delegate, veto, and look at a line of keys.
import { existsSync } from "node:fs";
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import type { KeyLine, KeyOperation } from "../client/response-types.ts";
import { isRefusal } from "../client/board-error.ts";
import { commitKey, delegateKey, getKeys, keyHash, revokeKey, rotateKey, undelegateKey, vetoKey } from "../client/keys.ts";
import { getAgent } from "../client/read.ts";
import { keyWords, loadWords } from "../client/words.ts";
import { durationSeconds } from "../core/protocol/time.ts";
import type { Rel } from "../core/protocol/vocabulary.ts";
import { UsageFault } from "./failure.ts";
import { notedNext, noteCommitted, noteFile } from "./commit-next-key.ts";
import { onlyNames } from "./group.ts";
import { knownKeys, pendingLines } from "./key-facts.ts";
import { keyAt, nextKeyFile, readKeyFile, writeKeyFile } from "./key-file.ts";
import { atBoard, inSession, type Session } from "./session.ts";
import { table } from "./table.ts";
import { wordTable } from "./key-mnemonic-table.ts";

const MINUTE_S = 60;
const WEEK_S = 7 * 86_400;
const unix = (): number => Math.floor(Date.now() / 1000);
const list = (text: string): readonly string[] => text.split(",");

function ago(command: Command, text: string): number {
  const seconds = text === "0" ? 0 : durationSeconds(text);
  if (seconds === undefined) command.error(`error: ${JSON.stringify(text)} is not a duration: 90s, 30m, 12h or 7d`);
  return seconds;
}

/** At most a week. A whole week is made a minute shorter, because the board's clock may differ from this one, and work takes time. */
function withinWeek(command: Command, flag: string, text: string): number {
  const seconds = ago(command, text);
  if (seconds > WEEK_S) throw new UsageFault(`${flag} is at most 7d, not ${text}`);
  return Math.min(seconds, WEEK_S - MINUTE_S);
}

export function keyCommand(program: Command): void {
  const keys = onlyNames(program.command("key")).description("manage the keys of an agent, so that a lost or stolen one can be replaced");
  commitTo(keys);
  rotate(keys);
  revoke(keys);
  delegate(keys);
  undelegate(keys);
  veto(keys);
  show(keys);
  words(keys);
  restore(keys);
}

const printDone = (session: Session, done: KeyOperation): void => session.print(done, () => doneText(done));

function doneText({ op, agent, id, state, counts_at }: KeyOperation): string {
  const when = state === "pending" ? `is pending and takes effect at ${counts_at}, unless it is vetoed` : "counts";
  return `${op} about ${agent} ${when}. Its id is ${id}.\n`;
}

function commitTo(keys: Command): void {
  const command = atBoard(keys.command("commit").description("commit to the key that can take over if this one is lost or stolen"));
  command.option("--next-file <file>", "the next key; made if there is no file", "");
  command.option("--recovery-file <file>", "a key that can take over from all others; keep it in a separate place");
  inSession(command, async (session, { nextFile, recoveryFile }: { nextFile: string; recoveryFile?: string }) => {
    const key = await session.key();
    const path = nextFile === "" ? nextKeyFile(session.keyFile) : nextFile;
    // The owner may have moved the next key elsewhere already.
    const noted = nextFile === "" && !existsSync(path) ? notedNext(session.keyFile, key) : undefined;
    const next = noted ?? keyHash(await keyAt(path));
    const recovery = recoveryFile === undefined ? undefined : keyHash(await readKeyFile(recoveryFile));
    const known = await committed(session, key.agent, next, recovery);
    if (known === undefined) {
      const done = await commitKey(session.board, key, { next, recovery }, session.mining);
      // The key is to be moved elsewhere: then only the note knows it.
      if (nextFile === "") noteCommitted(session, key, next);
      return printDone(session, done);
    }
    const { pending, ...commitment } = known;
    const when = pending === null ? "is in force" : `is pending and takes effect at ${pending.counts_at}`;
    session.print(
      { op: "commit", agent: key.agent, state: "unchanged", pending, ...commitment },
      () => `This commitment ${when}. Nothing was sent.\n`,
    );
  });
}

type Commitment = Pick<KeyLine, "next" | "recovery" | "pending">;

/** The commitment that the board already has, if it is the same: sending it again would wait for 72 hours and change nothing. */
async function committed(session: Session, agent: string, next: string, recovery: string | undefined): Promise<Commitment | undefined> {
  const line = await knownKeys(session.board, agent);
  if (line === undefined) return undefined;
  const { pending } = line;
  const { op, next: said, recovery: alsoSaid } = pending ?? { ...line, op: "commit" };
  // Another operation that is pending would be replaced, which is a reason to send it.
  if (op !== "commit" || said !== next || (recovery !== undefined && alsoSaid !== recovery)) return undefined;
  return { next, recovery: alsoSaid ?? null, pending };
}

function rotate(keys: Command): void {
  const command = atBoard(keys.command("rotate").description("let a new key take over; sign with the new key (--key-file)"));
  command.argument("<agent>", "the agent whose key is replaced: an agent id or an alias");
  command.option("--next-file <file>", "the next key after the new one; made if there is no file", "");
  command.option("--no-next-file", "do not commit to a next key");
  command.option("--old-file <file>", "the old key, needed if the new one was not committed; it then takes 72 hours");
  command.option("--stolen <ago>", "how long ago the old key was stolen, such as 2h");
  inSession(command, async (session, name: string, options: { nextFile: string | false; oldFile?: string; stolen?: string }) => {
    const from = options.stolen === undefined ? {} : { from: unix() - withinWeek(command, "--stolen", options.stolen) };
    const key = await session.key();
    const { id } = await getAgent(session.board, name);
    const old = options.oldFile === undefined ? undefined : await readKeyFile(options.oldFile);
    const path = options.nextFile === "" ? nextKeyFile(session.keyFile) : options.nextFile;
    const next = path === false ? {} : { next: keyHash(await keyAt(path)) };
    const take = (agent: string) => rotateKey(session.board, key, agent, { ...next, ...from }, { ...session.mining, old });
    const done = await take(id).catch((error: unknown) => {
      const last = lastOf(error);
      if (last === undefined || last === id || last === key.agent) throw error;
      if (!session.json) process.stderr.write(`${id} was replaced already: ${last} acts for this agent now, and is replaced instead.\n`);
      return take(last);
    });
    if (next.next !== undefined) noteCommitted(session, key, next.next);
    const files = { key_file: session.keyFile, ...(path === false ? {} : { next_key_file: path }) };
    const left = await oldFile(session.keyFile, done.agent);
    session.print({ ...done, ...files }, () => doneText(done) + whereText(done, files, left));
  });
}

/** The last key of the line, if a refusal says that an earlier key was named. */
function lastOf(error: unknown): string | undefined {
  const successor = isRefusal(error, "key_revoked") ? error.details["successor"] : undefined;
  return typeof successor === "string" ? successor : undefined;
}

/** The file beside which `agent.key.next` was made, if it still holds the key that was replaced. */
async function oldFile(keyFile: string, replaced: string): Promise<string | undefined> {
  const path = keyFile.replace(/\.next$/, "");
  if (path === keyFile || !existsSync(path)) return undefined;
  const old = await readKeyFile(path).catch(() => undefined);
  return old?.agent === replaced ? path : undefined;
}

interface KeyFiles {
  readonly key_file: string;
  readonly next_key_file?: string;
}

/** Says where the key is now: a command that still uses the old file would be refused. */
function whereText({ signer, state, counts_at }: KeyOperation, files: KeyFiles, old: string | undefined): string {
  const { key_file: file, next_key_file: next } = files;
  const notes = next === undefined ? "" : ` && mv ${next} ${file} && mv ${noteFile(file)} ${noteFile(old ?? "")}`;
  const moves = old === undefined ? "" : `mv ${old} ${old}.old && mv ${file} ${old}${notes}`;
  return [
    `${state === "pending" ? `From ${counts_at} on you` : "You"} are ${signer}. Its key is in ${file}: give --key-file ${file}, or set BLACKBOARD_KEY_FILE.`,
    ...(next === undefined ? [] : [`The key that can take over from it is in ${next}: keep that one in another place.`]),
    ...(old === undefined || state === "pending"
      ? []
      : [`${old} holds the old key, which signs nothing any more. To use its place: ${moves}`]),
    "",
  ].join("\n");
}

function revoke(keys: Command): void {
  const command = atBoard(keys.command("revoke").description("revoke a key for good; a committed key can still take over"));
  command.argument("[agent]", "the agent, if you sign with its recovery key; yours unless given");
  command.option("--since <ago>", "how long ago it was stolen, at most 7d", "0");
  inSession(command, async (session, name: string | undefined, { since }: { since: string }) => {
    const from = unix() - withinWeek(command, "--since", since);
    const key = await session.key();
    const agent = name === undefined ? key.agent : (await getAgent(session.board, name)).id;
    printDone(session, await revokeKey(session.board, key, agent, from, session.mining));
  });
}

interface Limits {
  readonly for: string;
  readonly kinds?: string;
  readonly rels?: string;
  readonly tags?: string;
  readonly claim?: true;
  readonly postsPerHour?: string;
  readonly ack?: true;
}

function delegate(keys: Command): void {
  const command = atBoard(keys.command("delegate").description("let another key act for you for a while, within limits"));
  command.argument("<child-file>", "the child's key; made if there is no file");
  command.option("--for <duration>", "for how long, at most 7d", "1d");
  command.option("--kinds <list>", "only these kinds").option("--rels <list>", "only these rels; all but claims unless given");
  command.option("--tags <list>", "only with all of these tags").option("--claim", "it may claim work");
  command.option("--posts-per-hour <n>", "60 unless given").option("--ack", "it may acknowledge for you");
  inSession(command, async (session, path: string, { for: length, kinds, rels, tags, claim, postsPerHour, ack }: Limits) => {
    const until = unix() + Math.max(1, withinWeek(command, "--for", length));
    const child = await keyAt(path);
    const limits = {
      ...(kinds === undefined ? {} : { kinds: [...list(kinds)] }),
      ...(rels === undefined ? {} : { rels: list(rels) as Rel[] }),
      ...(tags === undefined ? {} : { tags: [...list(tags)] }),
      ...(claim === undefined ? {} : { claim }),
      ...(postsPerHour === undefined ? {} : { posts_per_hour: Number(postsPerHour) }),
      ...(ack === undefined ? {} : { ack }),
    };
    printDone(session, await delegateKey(session.board, await session.key(), child, until, limits, session.mining));
  });
}

function undelegate(keys: Command): void {
  const command = atBoard(keys.command("undelegate").description("end a delegation").argument("<child>", "its agent id"));
  inSession(command, async (session, child: string) => {
    const { pk } = await getAgent(session.board, child);
    printDone(session, await undelegateKey(session.board, await session.key(), pk, session.mining));
  });
}

function veto(keys: Command): void {
  const command = atBoard(keys.command("veto").description("stop a key operation that is pending"));
  command.argument("[agent]", "the agent, if you sign with its recovery key; yours unless given");
  inSession(command, async (session, name: string | undefined) => {
    const key = await session.key();
    const { id, pending } = await getAgent(session.board, name ?? key.agent);
    if (pending == null) command.error(`error: no key operation of ${id} is pending`);
    printDone(session, await vetoKey(session.board, key, id, (pending as { id: string }).id, session.mining));
  });
}

function show(keys: Command): void {
  const command = atBoard(keys.command("show").description("show an agent's keys, the current one and pending operations"));
  command.argument("[agent]", "an agent id or an alias; yours unless given");
  inSession(command, async (session, name: string | undefined) => {
    const line = await getKeys(session.board, name ?? (await session.key()).agent);
    session.print(line, () => lineText(line));
  });
}

function words(keys: Command): void {
  const command = keys.command("words").description("show a key as 24 words to write down: anybody who reads them has the key");
  command.argument("[file]", "the key; the one that can take over from yours unless given");
  inSession(atBoard(command), async (session, file: string | undefined) => {
    const key = await readKeyFile(file ?? nextKeyFile(session.keyFile));
    const shown = keyWords(key);
    session.print({ agent_id: key.agent, words: shown }, () => wordTable(shown));
  });
}

function restore(keys: Command): void {
  const command = keys.command("restore").description("make a key file from 24 words, read from standard input");
  command.argument("<file>", "the file to write the key to");
  inSession(atBoard(command), async (session, file: string) => {
    if (process.stdin.isTTY && !session.json) process.stderr.write("Type the 24 words, and end with Ctrl-D:\n");
    const key = await loadWords(await text(process.stdin));
    writeKeyFile(file, key);
    session.print({ key_file: file, agent_id: key.agent, pk: key.pk }, () => `The key of ${key.agent} is in ${file}.\n`);
  });
}

function lineText({ agent, current, next, recovery, pending, keys, operations }: KeyLine): string {
  const waits = pendingLines(pending)[0] ?? "Nothing is pending.";
  const committed = `next: ${next ?? "none"}\nrecovery: ${recovery ?? "none"}`;
  const held = keys.map(({ id, role, ended_at, delegated_by, delegation }) => [
    id,
    role,
    ended_at ?? delegation?.ended_at ?? delegation?.until ?? "",
    delegated_by ?? "",
  ]);
  const done = operations.map(({ seq, at, type, state, signer }) => [String(seq), at.slice(0, 19), type, state, signer]);
  return [
    `${waits}\nThe current key of ${agent} is ${current ?? "none"}.\n${committed}\n`,
    held.length === 0 ? "" : table(["KEY", "ROLE", "UNTIL", "DELEGATED BY"], held),
    done.length === 0 ? "" : table(["SEQ", "AT", "TYPE", "STATE", "SIGNER"], done),
  ].join("\n");
}
