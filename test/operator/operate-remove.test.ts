// Removing many messages at once: all of them, or none if one is wrong; an interrupted removal is finished by running it again.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { messageId } from "../../src/core/protocol/message-and-agent-ids.ts";
import { type Agent, sha256 } from "../support/agent.ts";
import { operateAlias } from "../support/aliases.ts";
import { TestBoard } from "../support/board.ts";
import { openBeside } from "../support/database.ts";
import { BoardStage, hashOf } from "../support/key-stage.ts";
import { onPostgres } from "../support/postgres/database.ts";
import { BoardProcess, emptyDirectory } from "../support/process.ts";
import { placeOf, runHere, type Said } from "../support/program.ts";

const WHY = ["--category", "spam", "--ground", "incompatible_content", "--facts", "Advertising."];

let board: TestBoard;
beforeAll(async () => {
  board = await TestBoard.start();
});
afterAll(() => board[Symbol.asyncDispose]());

interface Action {
  readonly id: string;
  readonly seq: number;
  readonly target: string;
  readonly facts: string;
}
interface Removed {
  readonly removed: number;
  readonly actions: readonly Action[];
  readonly already_removed: readonly string[];
  readonly not_removed: readonly { readonly id: string; readonly reason: string }[];
  readonly traces: string;
}
const operate = (...args: readonly string[]): Promise<Said> => runHere(["operate", ...args, ...placeOf(board.data)]);
async function json<Body = Removed>(...args: readonly string[]): Promise<Body> {
  const said = await operate(...args, "--yes", "--json");
  expect({ args, code: said.code, stderr: said.stderr }).toEqual({ args, code: 0, stderr: "" });
  return JSON.parse(said.stdout) as Body;
}
async function refused(...args: readonly string[]): Promise<string> {
  const before = await latest();
  const said = await operate(...args, "--yes");
  expect({ args, code: said.code, stdout: said.stdout }).toMatchObject({ args, code: 1, stdout: "" });
  expect(await latest()).toBe(before);
  return said.stderr;
}
/** Every decision adds an entry to the log. */
const latest = async (): Promise<number> => (await board.get<{ latest_seq: number }>("/api/changes?limit=1")).body.latest_seq;
const statusOf = async (id: string): Promise<number> => (await board.get(`/api/messages/${id}`)).status;

async function notes(agent: Agent, count: number, title = "buy now"): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i += 50) {
    const some = Array.from({ length: Math.min(50, count - i) }, (_, j) => board.put(agent, { kind: "note", title: `${title} ${i + j}` }));
    ids.push(...(await Promise.all(some)).map(({ id }) => id));
  }
  return ids;
}

/** Two messages with the same first eight characters, which does not happen by chance. */
async function alike(agent: Agent): Promise<readonly [string, string]> {
  const seen = new Map<string, string>();
  for (let i = 0; ; i++) {
    const payload = JSON.stringify({ v: 1, pk: agent.pk, ts: Math.floor(agent.now() / 1000), kind: "note", title: `twin ${i}` });
    const id = messageId(payload);
    const twin = seen.get(id.slice(0, 8));
    seen.set(id.slice(0, 8), payload);
    if (twin === undefined) continue;
    for (const one of [twin, payload]) expect((await board.send(JSON.stringify(agent.seal(one)))).status).toBe(201);
    return [messageId(twin), id];
  }
}

describe("ids", () => {
  test("several are removed by one command, by whole ids or prefixes, each once and with its own statement", async () => {
    const [a = "", b = "", c = "", d = ""] = await notes(board.agent(), 4);
    const { removed, actions, already_removed: already, traces } = await json("remove", a, b.slice(0, 8), c.slice(0, 63), a, ...WHY);
    expect({ removed, already }).toEqual({ removed: 3, already: [] });
    expect(actions.map(({ target }) => target)).toEqual([a, b, c]);
    expect(new Set(actions.map(({ id }) => id)).size).toBe(3);
    expect(traces).not.toBe("");
    expect(await Promise.all([a, b, c, d].map(statusOf))).toEqual([410, 410, 410, 200]);
  });

  test("one that is wrong keeps all from being removed, and all that are wrong are named at once", async () => {
    const [a = "", b = ""] = await notes(board.agent(), 2);
    const said = await refused("remove", a, "f".repeat(64), b, "abc", "deadbeef", "Not An Id", ...WHY);
    for (const words of [
      `There is no message ${"f".repeat(64)}`,
      '"abc" has 3 characters',
      'No message id starts with "deadbeef"',
      '"Not An Id" is not an id',
    ])
      expect(said).toContain(words);
    expect(await Promise.all([a, b].map(statusOf))).toEqual([200, 200]);
  });

  test("a prefix that two messages have is refused, also if one of them has ended", async () => {
    const [a, b] = await alike(board.agent());
    const start = a.slice(0, 8);
    const both = new RegExp(`2 message ids start with "${start}", such as .*: give the whole id`);
    expect(await refused("remove", start, ...WHY)).toMatch(both);
    expect(await refused("restore", start)).toMatch(both);
    await json("remove", b, ...WHY);
    expect(await refused("remove", start, ...WHY)).toMatch(both);
    expect(await refused("restore", start)).toMatch(both);
    expect(await statusOf(a)).toBe(200);
  });

  test("messages that are already removed are listed and skipped, and if nothing is left nothing is done", async () => {
    const [a = "", b = ""] = await notes(board.agent(), 2);
    await json("remove", a, ...WHY);
    // Its traces are erased again: the removal may have been interrupted before that.
    expect(await refused("remove", a, ...WHY)).toMatch(
      new RegExp(
        `^Nothing was done\\. The message ${a} is already removed\\.\n(?:The database files no longer contain|PostgreSQL will gradually overwrite)`,
      ),
    );
    expect(await json("remove", a, b, ...WHY)).toMatchObject({ removed: 1, actions: [{ target: b }], already_removed: [a] });
    expect(await refused("remove", a, b, ...WHY)).toContain("Nothing was done. 2 messages are already removed.\n");
  });

  test("come from a file or the standard input as well, with comments and empty lines", async () => {
    const [a = "", b = "", c = ""] = await notes(board.agent(), 3);
    const file = join(emptyDirectory(), "ids.txt");
    writeFileSync(file, `# found by hand\n\n${a}\r\n  ${b.slice(0, 12)}  # the second\n`);
    expect(await json("remove", "--from", file, ...WHY)).toMatchObject({ removed: 2, actions: [{ target: a }, { target: b }] });
    const piped = (flags: readonly string[]) =>
      BoardProcess.spawn({ args: ["operate", "remove", "--from", "-", ...WHY, ...flags, ...placeOf(board.data)], input: `${c}\n` }).ended;
    // Standard input has the list, so it cannot answer a question too.
    expect(await piped([])).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("--yes") as string });
    expect(await piped(["--yes"])).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringContaining(`Removed ${c}; statement sr_`) as string,
    });
    expect(await Promise.all([a, b, c].map(statusOf))).toEqual([410, 410, 410]);
  });

  test("that are copies of one text are found by it and removed together; who quotes it as a warning resembles it and is spared", async () => {
    const text = "Send your seed words to the recovery desk before midnight, otherwise every wallet on this board will be frozen for good.";
    const post = (body: string) => board.put(board.agent(), { kind: "note", body });
    const first = await post(text);
    const copy = await post(`Hello! ${text.replace("midnight", "noon")}`);
    const warning = await post(`Beware of this fraud: "${text}"`);
    expect([first, copy, warning].map(({ derived }) => derived.copies)).toEqual([0, 1, 2]);
    const like = await board.get<{ messages: { id: string }[] }>(`/api/messages?near=${first.id}&limit=200`);
    const found = like.body.messages.map(({ id }) => id);
    expect(new Set(found)).toEqual(new Set([copy.id, warning.id]));
    const file = join(emptyDirectory(), "ids.txt");
    writeFileSync(file, [first.id, ...found.filter((id) => id !== warning.id)].join("\n"));
    expect(await json("remove", "--from", file, ...WHY)).toMatchObject({ removed: 2 });
    expect(await Promise.all([first, copy, warning].map(({ id }) => statusOf(id)))).toEqual([410, 410, 200]);
    // A removal is by exact hash: a new copy is another message, and is shown as a copy.
    expect((await post(`${text} `)).derived.copies).toBe(3);
  });
});

describe("an agent", () => {
  test("has all its live messages removed by its alias, five hundred too, and nobody else's", async () => {
    const [spammer, other] = [board.agent(), board.agent()];
    const ids = await notes(spammer, 500);
    const [others = ""] = await notes(other, 1);
    expect((await operateAlias(board, spammer, "claim", "spammer")).status).toBe(201);
    const asked = BoardProcess.spawn({ args: ["operate", "remove", "--author", "spammer", ...WHY, ...placeOf(board.data)], input: "n\n" });
    const { code, stdout } = await asked.ended;
    expect({ code, asked: stdout.split("\n").slice(0, 2) }).toEqual({
      code: 1,
      asked: ["500 messages:", expect.stringMatching(`^  [0-9a-f]{12}, a note by ${spammer.id}: buy now \\d+$`)],
    });
    expect(stdout).toContain("  and 495 more\nRemove all 500 messages? [y/N]");
    const { removed, actions } = await json("remove", "--author", "spammer", ...WHY);
    expect({ removed, ids: actions.map(({ target }) => target).sort() }).toEqual({ removed: 500, ids: [...ids].sort() });
    // One after the other in the log, where everybody can read each of them.
    expect(actions.map(({ seq }) => seq)).toEqual(actions.map((_, i) => (actions[0]?.seq ?? 0) + i));
    expect(await statusOf(ids[250] ?? "")).toBe(410);
    expect(await statusOf(others)).toBe(200);
    expect(await refused("remove", "--author", spammer.id, ...WHY)).toBe(`Nothing was done: ${spammer.id} has no live messages.\n`);
  });

  test("is blocked and its messages removed by one command, for the same reasons", async () => {
    const spammer = board.agent();
    const [a = "", b = ""] = await notes(spammer, 2);
    const done = await json<Removed & { action: Action }>("block-key", spammer.id, "--and-remove", ...WHY);
    expect(done).toMatchObject({ action: { target: spammer.id, facts: "Advertising." }, removed: 2, not_removed: [] });
    expect(done.actions.map(({ target, facts }) => [target, facts])).toEqual([a, b].map((id) => [id, "Advertising."]));
    expect((await board.post(spammer, { kind: "note", title: "more" })).status).toBe(451);
    expect(await refused("block-key", spammer.id, "--and-remove", ...WHY)).toContain("is blocked already");
    expect(await refused("block-key", spammer.id, ...WHY)).toContain("is blocked already");
  });

  test("is blocked with every key that acts for it, and the messages of all of them are removed", async () => {
    const stage = await BoardStage.on(board);
    const [key, next, child] = [board.agent(), board.agent(), board.agent()];
    const until = Math.floor(board.clock.now() / 1000) + 86_400;
    expect(await stage.act(key, key, { op: "commit", next: hashOf(next) })).toBe("counted");
    expect(await stage.act(key, key, { op: "delegate", child: child.pk, until }, { child })).toBe("counted");
    const posted = [...(await notes(key, 1)), ...(await notes(child, 1))];
    expect((await json("block-key", key.id, "--and-remove", ...WHY)).removed).toBe(2);
    for (const id of posted) expect(await statusOf(id)).toBe(410);
    expect((await board.post(child, { kind: "note", title: "for it" })).status).toBe(451);
  });

  test("that is blocked already still has the rest removed, as after a command that broke off", async () => {
    const spammer = board.agent();
    const [id = ""] = await notes(spammer, 1);
    const only = await operate("block-key", spammer.id, ...WHY, "--yes");
    expect(only.stdout).toContain(`blackboard operate remove --author ${spammer.id}`);
    const said = await operate("block-key", spammer.id, "--and-remove", ...WHY, "--yes");
    expect(said).toMatchObject({ code: 0, stderr: "" });
    expect(said.stdout).toMatch(new RegExp(`^The key of ${spammer.id} is blocked already\\.\nRemoved ${id}; statement`));
  });

  test("that the board has never seen is blocked only if the operator confirms it", async () => {
    const stranger = board.agent().id;
    expect(await refused("block-key", stranger, ...WHY)).toContain(
      `never seen ${stranger}. Check the id; to block it anyway, give --unseen`,
    );
    const asked = BoardProcess.spawn({ args: ["operate", "block-key", stranger, ...WHY, ...placeOf(board.data)], input: "\n" });
    expect((await asked.ended).stdout).toContain(`This board has never seen ${stranger}. Block the key of ${stranger}? [y/N]`);
    expect(await json<object>("block-key", stranger, "--unseen", ...WHY)).toMatchObject({ action: { target: stranger } });
    await json<object>("unblock-key", stranger);
    expect(await refused("unblock-key", stranger)).toBe(`${stranger} is not blocked.\n`);
  });

  test("is not mistaken for one whose alias is at another domain", async () => {
    const named = board.agent();
    await notes(named, 1);
    expect((await operateAlias(board, named, "claim", "neighbour")).status).toBe(201);
    expect(await refused("block-key", "neighbour@elsewhere.example", ...WHY)).toContain("nor an alias: write it without a domain");
    expect(await refused("remove", "--author", "neighbour@elsewhere.example", ...WHY)).toContain("nor an alias: write it without a domain");
    expect(await json<object>("block-key", "neighbour", ...WHY)).toMatchObject({ action: { target: named.id } });
  });
});

test("attachments are removed with the messages, or stay on request", async () => {
  const [text, agent] = ["shared by two", board.agent()];
  const attachments = [{ sha256: sha256(text), name: "a.txt", mime: "text/plain", size: text.length }];
  const put = (title: string) => board.put(agent, { kind: "note", title, attachments }, { [sha256(text)]: text });
  const [one, two] = [await put("one"), await put("two")];
  await json("remove", one.id, "--keep-attachments", ...WHY);
  expect((await board.get(`/api/blobs/${sha256(text)}`)).status).toBe(200);
  await json("remove", two.id, ...WHY);
  expect((await board.post(agent, { kind: "note", title: "three", attachments }, { [sha256(text)]: text })).status).toBe(451);
});

test("a failure half way says what was done and what not, and the same command finishes it", async () => {
  const spammer = board.agent();
  const ids = await notes(spammer, 230);
  using beside = openBeside(board.data);
  const listed = (await board.get<{ messages: { id: string }[] }>(`/api/messages?author=${spammer.id}&sort=old&limit=200`)).body.messages;
  // In the second batch of three.
  failOn(beside, listed[150]?.id ?? "");
  const said = await operate("remove", "--author", spammer.id, ...WHY, "--yes", "--json");
  expect(said.code).toBe(1);
  const { removed, actions, not_removed: left } = JSON.parse(said.stdout) as Removed;
  // SQLite repeats a failed batch, one decision after the other; on PostgreSQL nothing is tried after it.
  const done = onPostgres() ? 100 : 229;
  expect({ removed, actions: actions.length, left: left.length }).toEqual({ removed: done, actions: done, left: 230 - done });
  expect(left[0]?.reason).toContain("the disk is on fire");
  expect(JSON.parse(said.stderr)).toMatchObject({
    error: {
      message: expect.stringMatching(
        onPostgres()
          ? /^100 messages were removed, 130 not: [0-9a-f]{64}, .+ and 125 more\n.*the disk is on fire.*\nFix that/
          : /^229 messages were removed, 1 not: [0-9a-f]{64}\n.*the disk is on fire.*\nFix that/,
      ) as string,
    },
  });
  expect(await Promise.all([actions[99]?.target ?? "", left[0]?.id ?? ""].map(statusOf))).toEqual([410, 200]);
  stopFailing(beside);
  const again = await json("remove", ...ids.slice(0, 3), ...left.map(({ id }) => id), ...WHY);
  expect({ removed: again.removed, already: again.already_removed.length > 0 }).toEqual({ removed: 230 - done, already: true });
  expect(await refused("remove", "--author", spammer.id, ...WHY)).toContain("has no live messages");
});

/** The database refuses the decision on this message, and so the whole batch. */
function failOn(beside: ReturnType<typeof openBeside>, id: string): void {
  if (!onPostgres()) {
    beside.exec(
      `CREATE TRIGGER on_fire BEFORE INSERT ON actions WHEN NEW.target = '${id}' BEGIN SELECT RAISE(ROLLBACK, 'the disk is on fire'); END`,
    );
    return;
  }
  beside.exec("CREATE FUNCTION on_fire() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the disk is on fire'; END $$");
  beside.exec(`CREATE TRIGGER on_fire BEFORE INSERT ON actions FOR EACH ROW WHEN (NEW.target = '${id}') EXECUTE FUNCTION on_fire()`);
}
function stopFailing(beside: ReturnType<typeof openBeside>): void {
  beside.exec(onPostgres() ? "DROP TRIGGER on_fire ON actions" : "DROP TRIGGER on_fire");
}
