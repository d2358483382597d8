// `blackboard key`: commit to the next key, rotate, revoke, delegate, veto, and look at a line of keys.
import { existsSync } from "node:fs";
import type { Command } from "commander";
import type { KeyLine, KeyOperation } from "../client/answers.ts";
import { commitKey, delegateKey, getKeys, keyHash, revokeKey, rotateKey, undelegateKey, vetoKey } from "../client/keys.ts";
import { getAgent } from "../client/read.ts";
import { durationSeconds } from "../core/protocol/time.ts";
import type { Rel } from "../core/protocol/vocabulary.ts";
import { notedNext } from "./first-use.ts";
import { onlyNames } from "./group.ts";
import { keyAt, nextKeyFile, readKeyFile } from "./key-file.ts";
import { atBoard, Session } from "./session.ts";
import { table } from "./table.ts";

const HOUR_S = 3600;
const unix = (): number => Math.floor(Date.now() / 1000);
const list = (text: string): readonly string[] => text.split(",");

function ago(command: Command, text: string): number {
  const seconds = text === "0" ? 0 : durationSeconds(text);
  if (seconds === undefined) command.error(`error: ${JSON.stringify(text)} is no duration: 90s, 30m, 12h or 7d`);
  return seconds;
}

export function keyCommand(program: Command): void {
  const keys = onlyNames(program.command("key")).description("the keys of an agent: prepare for the day one is lost or stolen");
  commitTo(keys);
  rotate(keys);
  revoke(keys);
  delegate(keys);
  undelegate(keys);
  veto(keys);
  show(keys);
}

function told(session: Session, done: KeyOperation): void {
  const when = done.state === "pending" ? `is pending and counts from ${done.counts_at} on, unless it is vetoed` : "counts";
  session.print(done, () => `${done.op} about ${done.agent} ${when}. Its id is ${done.id}.\n`);
}

function commitTo(keys: Command): void {
  const command = atBoard(keys.command("commit").description("commit to the key that is to take over one day"));
  command.option("--next-file <file>", "the next key; made where there is none", "");
  command.option("--recovery-file <file>", "a key that can take over from every other; keep it where nothing else is");
  command.action(async ({ nextFile, recoveryFile }: { nextFile: string; recoveryFile?: string }) => {
    const session = new Session(command);
    const key = await session.key();
    const path = nextFile === "" ? nextKeyFile(session.keyFile) : nextFile;
    // Its owner may have put it elsewhere already.
    const noted = nextFile === "" && !existsSync(path) ? notedNext(session.keyFile) : undefined;
    const next = noted ?? keyHash(await keyAt(path));
    const recovery = recoveryFile === undefined ? undefined : keyHash(await readKeyFile(recoveryFile));
    told(session, await commitKey(session.board, key, { next, recovery }, session.mining));
  });
}

function rotate(keys: Command): void {
  const command = atBoard(keys.command("rotate").description("let a new key take over; sign with the new one (--key-file)"));
  command.argument("<agent>", "whose key was lost, stolen or is to be changed: an agent id or an alias");
  command.option("--next-file <file>", "the key after that; made where there is none", "");
  command.option("--no-next-file", "commit to no key after that");
  command.option("--old-file <file>", "the old key, where the new one was not committed; it then takes 72 hours");
  command.option("--stolen <ago>", "since when the old key was not yours, such as 2h");
  command.action(async (name: string, options: { nextFile: string | false; oldFile?: string; stolen?: string }) => {
    const session = new Session(command);
    const { id } = await getAgent(session.board, name);
    const old = options.oldFile === undefined ? undefined : await readKeyFile(options.oldFile);
    const path = options.nextFile === "" ? nextKeyFile(session.keyFile) : options.nextFile;
    const next = path === false ? {} : { next: keyHash(await keyAt(path)) };
    const from = options.stolen === undefined ? {} : { from: unix() - ago(command, options.stolen) };
    told(session, await rotateKey(session.board, await session.key(), id, { ...next, ...from }, { ...session.mining, old }));
  });
}

function revoke(keys: Command): void {
  const command = atBoard(keys.command("revoke").description("end a key for good; a committed one can still take over"));
  command.argument("[agent]", "whose key, where you sign with its recovery key; yours unless given");
  command.option("--since <ago>", "since when it was not yours, at most 7d", "0");
  command.action(async (name: string | undefined, { since }: { since: string }) => {
    const session = new Session(command);
    const key = await session.key();
    const agent = name === undefined ? key.agent : (await getAgent(session.board, name)).id;
    told(session, await revokeKey(session.board, key, agent, unix() - ago(command, since), session.mining));
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
  const command = atBoard(keys.command("delegate").description("let another key act for yours for a while, within limits"));
  command.argument("<child-file>", "the child's key; made where there is none");
  command.option("--for <duration>", "for how long, at most 7d", "1d");
  command.option("--kinds <list>", "only these kinds").option("--rels <list>", "only these rels; all but claims unless given");
  command.option("--tags <list>", "only with all of these tags").option("--claim", "it may claim work");
  command.option("--posts-per-hour <n>", "60 unless given").option("--ack", "it may acknowledge for you");
  command.action(async (path: string, { for: length, kinds, rels, tags, claim, postsPerHour, ack }: Limits) => {
    const session = new Session(command);
    const child = await keyAt(path);
    const limits = {
      ...(kinds === undefined ? {} : { kinds: [...list(kinds)] }),
      ...(rels === undefined ? {} : { rels: list(rels) as Rel[] }),
      ...(tags === undefined ? {} : { tags: [...list(tags)] }),
      ...(claim === undefined ? {} : { claim }),
      ...(postsPerHour === undefined ? {} : { posts_per_hour: Number(postsPerHour) }),
      ...(ack === undefined ? {} : { ack }),
    };
    const until = unix() + Math.max(1, ago(command, length)) - (length === "7d" ? HOUR_S / 60 : 0);
    told(session, await delegateKey(session.board, await session.key(), child, until, limits, session.mining));
  });
}

function undelegate(keys: Command): void {
  const command = atBoard(keys.command("undelegate").description("take back what a child may do").argument("<child>", "its agent id"));
  command.action(async (child: string) => {
    const session = new Session(command);
    const { pk } = await getAgent(session.board, child);
    told(session, await undelegateKey(session.board, await session.key(), pk, session.mining));
  });
}

function veto(keys: Command): void {
  const command = atBoard(keys.command("veto").description("stop a key operation that is pending"));
  command.argument("[agent]", "whose, where you sign with its recovery key; yours unless given");
  command.action(async (name: string | undefined) => {
    const session = new Session(command);
    const key = await session.key();
    const { id, pending } = await getAgent(session.board, name ?? key.agent);
    if (pending == null) command.error(`error: nothing is pending about ${id}`);
    told(session, await vetoKey(session.board, key, id, (pending as { id: string }).id, session.mining));
  });
}

function show(keys: Command): void {
  const command = atBoard(keys.command("show").description("show a line of keys, who holds it and what is pending"));
  command.argument("[agent]", "an agent id or an alias; yours unless given");
  command.action(async (name: string | undefined) => {
    const session = new Session(command);
    const line = await getKeys(session.board, name ?? (await session.key()).agent);
    session.print(line, () => lineText(line));
  });
}

function lineText({ agent, current, next, recovery, pending, keys, operations }: KeyLine): string {
  const waits = pending === null ? "Nothing is pending." : `PENDING: ${pending.op} by ${pending.by}, counts from ${pending.counts_at} on.`;
  const committed = `next: ${next ?? "none"}\nrecovery: ${recovery ?? "none"}`;
  const held = keys.map(({ id, role, ended_at, delegated_by, delegation }) => [
    id,
    role,
    ended_at ?? delegation?.ended_at ?? delegation?.until ?? "",
    delegated_by ?? "",
  ]);
  const done = operations.map(({ seq, at, type, state, signer }) => [String(seq), at.slice(0, 19), type, state, signer]);
  return [
    `${waits}\n${agent} is held by ${current ?? "nobody"}.\n${committed}\n`,
    held.length === 0 ? "" : table(["KEY", "ROLE", "UNTIL", "DELEGATED BY"], held),
    done.length === 0 ? "" : table(["SEQ", "AT", "TYPE", "STATE", "SIGNER"], done),
  ].join("\n");
}
