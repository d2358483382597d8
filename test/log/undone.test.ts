// A restored backup does not bring back what the operator removed: the commands since then are listed, and done again on request.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeBackup } from "../../src/cli/operate/backup.ts";
import { TestBoard } from "../support/board.ts";
import { configAt, Operator, reasons } from "../support/operator.ts";
import { databaseFor, onPostgres } from "../support/postgres/database.ts";
import { emptyDirectory } from "../support/process.ts";
import { runHere } from "../support/program.ts";

const note = (title: string) => ({ kind: "note", title });
const run = (...args: string[]) => runHere(["operate", ...args]);

/** A board with a backup that is older than some of its operator's commands, and the place of the backup. */
async function world() {
  const board = await TestBoard.start();
  const [author, spammer] = [board.agent(), board.agent()];
  const [bad, spared, again] = [
    await board.put(author, note("bad")),
    await board.put(author, note("spared")),
    await board.put(spammer, note("again")),
  ];
  const report = (target: string) =>
    board.send(JSON.stringify({ target, category: "other", explanation: "I do not like it at all." }), "/api/reports");
  await report(bad.id);
  await report(spammer.id);
  const dir = join(emptyDirectory(), "backup");
  {
    await using operator = await Operator.at(board);
    const { order } = operator.session;
    await operator.remove(spared.id);
    await operator.remove(again.id);
    await report(author.id);
    await makeBackup(configAt(board.data), dir, true);
    for (const target of [spared.id, again.id]) await operator.decide({ do: "restore", target });
    await operator.remove(again.id);
    await operator.decide({ do: "remove", target: bad.id, reasons: reasons("It's bad."), keepAttachments: false });
    await operator.decide({ do: "block_key", agent: spammer.id, reasons: reasons() });
    const [open] = await operator.session.store.notices({ state: "received", after: undefined, limit: 1 });
    await order({ do: "dismiss", notice: open?.id ?? "" });
    await order({ do: "switch", switches: { powBits: 2, powMaxBits: 3 } });
  }
  return { board, dir, author, spammer, bad, spared, again };
}

/** The target of the backup: it replaces the board, or goes into an empty database. */
async function target(data: string): Promise<{ data: string; flags: string[]; replaced: string[] }> {
  if (!onPostgres()) return { data, flags: ["--data", data], replaced: [] };
  const next = emptyDirectory();
  const url = await databaseFor(next);
  return { data: next, flags: ["--data", next, "--database-url", url], replaced: ["--replaced-url", await databaseFor(data)] };
}

/** The operator's decisions, as the public and the operator can see them. */
async function actsOf(board: TestBoard) {
  await using operator = await Operator.at(board);
  const { store } = operator.session;
  const actions = await store.actions({ since: 0, before: undefined, limit: 100 });
  const notices = await store.notices({ state: undefined, after: undefined, limit: 100 });
  return {
    actions: actions.map(({ id, target: about, state, facts }) => [id, about, state, facts].join()).sort(),
    notices: notices.map(({ id, state }) => [id, state]),
    switches: await store.switches(),
  };
}

test("with --reapply a restored board decides again what it had decided, by the same statements, and nothing twice", async () => {
  const { board, dir, author, spammer, bad, again } = await world();
  const was = await actsOf(board);
  await board.stop();
  const { data, flags, replaced } = await target(board.data);
  const restored = await run("restore-backup", dir, ...flags, ...replaced, "--yes", "--json", "--reapply");
  expect(restored).toMatchObject({ code: 0, stderr: "" });
  const printed = JSON.parse(restored.stdout) as { replaced?: string; reapplied: object };
  expect(printed.reapplied).toMatchObject({ done: 7, not_done: [] });
  await using next = await TestBoard.start({ data, clock: board.clock });
  expect(await actsOf(next)).toEqual(was);
  for (const { id } of [bad, again]) expect((await next.get(`/api/messages/${id}`)).status).toBe(410);
  expect((await next.post(spammer, note("more"))).status).toBe(451);
  expect((await next.post(author, note("spared"))).status).toBe(201);
  const place = onPostgres() ? replaced : [printed.replaced ?? ""];
  expect(await run("undone", ...place, ...flags, "--reapply", "--yes")).toMatchObject({ code: 0, stdout: "Nothing is undone.\n" });
});

test("without it they are listed, and can be done again later by the command that is named", async () => {
  const { board, dir, spammer, bad, spared } = await world();
  const was = await actsOf(board);
  await board.stop();
  const { data, flags, replaced } = await target(board.data);
  const { code, stdout } = await run("restore-backup", dir, ...flags, ...replaced, "--yes");
  expect(code).toBe(0);
  for (const words of [`block-key ${spammer.id}`, `remove ${bad.id}`, `restore ${spared.id}`, "set-pow 2 --max 3", "reports dismiss rp_"])
    expect(stdout).toContain(`    ${words}`);
  const [, command = ""] = /^To do all of that again: blackboard operate (.+)$/m.exec(stdout) ?? [];
  const words = onPostgres() ? ["undone", ...replaced, "--reapply", ...flags] : command.split(" ");
  await using next = await TestBoard.start({ data, clock: board.clock });
  expect((await next.get(`/api/messages/${bad.id}`)).status).toBe(200);
  const preview = await run(...words.filter((word) => word !== "--reapply"));
  expect(preview).toMatchObject({ code: 0, stderr: "" });
  expect(stdout).toContain(preview.stdout.trimEnd());
  expect(await run(...words, "--yes")).toMatchObject({
    code: 0,
    stderr: "",
    stdout: expect.stringContaining("Done again: 7 acts.") as string,
  });
  expect(await actsOf(next)).toEqual(was);
  expect(readFileSync(join(data, "operator.log"), "utf8")).not.toContain("postgres://");
});

test("on a board that must not write, nothing is done again until it may", async () => {
  const { board, dir, bad } = await world();
  await board.get("/api/checkpoint");
  await board.stop();
  const { flags, replaced } = await target(board.data);
  // This machine knows the last signed head.
  const place = ["--data", board.data, ...flags.slice(2)];
  const { code, stdout, stderr } = await run("restore-backup", dir, ...place, ...replaced, "--yes", "--reapply");
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: expect.stringContaining(`    remove ${bad.id}`) as string,
    stderr: expect.stringContaining("When it accepts writes again: blackboard operate undone ") as string,
  });
  const [, aside = ""] = /undone (\S+)/.exec(stderr) ?? [];
  const again = await run("undone", ...(onPostgres() ? replaced : [aside]), ...place, "--reapply", "--yes");
  expect(again).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("nothing may be written") as string });
});
