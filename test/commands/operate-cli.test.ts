// `blackboard operate` as an operator types it, on the data of a board that runs in another process.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Agent, TEST_BITS } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { eventually } from "../support/eventually.ts";
import { BoardProcess, emptyDirectory } from "../support/process.ts";
import { placeOf, runHere } from "../support/program.ts";

const data = emptyDirectory();
let board: BoardProcess;
beforeAll(async () => {
  board = await BoardProcess.serve(data, ["--pow-bits", String(TEST_BITS), "--rate-limits", "off", "--log-level", "warn"]);
});
afterAll(() => board[Symbol.asyncDispose]());

interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the command. If it asks a question, runs it in a separate process, and `input` is what the operator types. */
async function operate(given: readonly string[], input?: string): Promise<Said> {
  const args = ["operate", ...given, "--data", data];
  const { code, stdout, stderr } = input === undefined ? await runHere(args) : await BoardProcess.spawn({ args, input }).ended;
  return { code, out: stdout, err: stderr };
}
async function json<Body>(...args: readonly string[]): Promise<Body> {
  const { code, out, err } = await operate([...args, "--json", "--yes"]);
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${err}${out}`);
  return JSON.parse(out) as Body;
}

const agent = new Agent();
async function post(title: string): Promise<{ id: string; status: number }> {
  const body = JSON.stringify(agent.envelope({ kind: "note", title }));
  const answer = await fetch(`${board.url}/api/messages`, { method: "POST", headers: { "content-type": "application/json" }, body });
  return { id: ((await answer.json()) as { id: string }).id, status: answer.status };
}
const status = async (path: string): Promise<number> => (await fetch(board.url + path)).status;
const why = ["--category", "spam", "--ground", "incompatible_content", "--facts", "Advertising."];

test("a report comes in, is looked at, and ends in a removal that everybody can read about", async () => {
  const { id } = await post("buy\u001b[31m now");
  const report = { target: id, category: "spam", explanation: "it says \u001b]0;owned\u0007 buy now", contact: "me@example.org" };
  const headers = { "content-type": "application/json" };
  await fetch(`${board.url}/api/reports`, { method: "POST", headers, body: JSON.stringify(report) });
  const { reports } = await json<{ reports: { id: string; explanation: string }[] }>("reports", "list");
  const shown = await operate(["reports", "show", reports[0]?.id ?? ""]);
  expect(shown.out).toContain("me@example.org");
  // Text of strangers never reaches the terminal as control characters.
  expect(shown.out).not.toContain("\u001b");
  expect(shown.out).toContain("\\u{1B}");
  const declined = await operate(["remove", id.slice(0, 10), ...why], "n\n");
  expect(declined).toMatchObject({ code: 1, err: "Nothing was done.\n" });
  const unasked = await operate(["remove", id.slice(0, 10), ...why], "");
  expect(unasked).toMatchObject({ code: 1, err: expect.stringContaining("give --yes") as string });
  expect(declined.out).toContain(`Remove ${id}, a note by ${agent.id}: buy`);
  expect(declined.out).not.toContain("\u001b");
  expect(await status(`/api/messages/${id}`)).toBe(200);
  const done = await operate(["remove", id, ...why], "y\n");
  expect(done).toMatchObject({ code: 0, err: "" });
  expect(done.out).toMatch(/Removed [0-9a-f]{64}; statement sr_[0-9a-f]{16}, entry \d+\.\n/);
  expect(done.out).toContain("The database files no longer contain it.");
  expect(await status(`/api/messages/${id}`)).toBe(410);
  expect(await json("reports", "list", "--state", "actioned")).toMatchObject({ reports: [{ id: reports[0]?.id, state: "actioned" }] });
});

test("a report can be dismissed once, keys and attachments blocked, and decisions reverted", async () => {
  const { id } = await post("a matter of taste");
  const report = { target: id, category: "other", explanation: "I do not like it at all" };
  const headers = { "content-type": "application/json" };
  await fetch(`${board.url}/api/reports`, { method: "POST", headers, body: JSON.stringify(report) });
  const { reports } = await json<{ reports: { id: string }[] }>("reports", "list", "--state", "open");
  const notice = reports[0]?.id ?? "";
  expect(await json("reports", "dismiss", notice)).toMatchObject({ report: { id: notice, state: "dismissed" } });
  expect((await operate(["reports", "dismiss", notice, "--yes"])).code).toBe(1);
  expect(await (await fetch(`${board.url}/api/transparency`)).json()).toMatchObject({ notices: { dismissed: 1 } });

  await json("remove", id, ...why);
  expect(await json("restore", id)).toMatchObject({ action: { state: "reversed" } });
  await json("block-key", agent.id, ...why);
  expect((await post("refused by key")).status).toBe(451);
  await json("unblock-key", agent.id);
  expect((await post("taken again")).status).toBe(201);
  expect(await json("block-blob", "a".repeat(64), ...why)).toMatchObject({ action: { target: "a".repeat(64) } });
});

test("switches reach the running board without a restart", async () => {
  await json("read-only", "on");
  await eventually("read-only", async () => ((await post("refused")).status === 503 ? true : undefined));
  expect(await json("stats")).toMatchObject({ switches: { read_only: true, pow_bits: null } });
  await json("read-only", "off");
  await eventually("the end of it", async () => ((await post(`taken ${Date.now()}`)).status === 201 ? true : undefined));
  expect(await json("set-pow", "30", "--max", "31")).toEqual({
    switches: { read_only: false, pow_bits: 30, pow_max_bits: 31, pow_at_once: false },
    minimum_pow: { bits: 30, set_by: "operator" },
  });
  await eventually("more work", async () => {
    const { required_bits: bits } = (await (await fetch(`${board.url}/api/pow`)).json()) as { required_bits: number };
    return bits === 30 ? true : undefined;
  });
});

test("check and backup work beside the board", async () => {
  expect(await json("check")).toMatchObject({ faults: 0, findings: [] });
  const dir = join(emptyDirectory(), "backup");
  expect(await json("backup", dir)).toMatchObject({ backup: { dir, key: true } });
  const refused = await operate(["restore-backup", dir, "--yes"]);
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.err).toContain("Another board is running");
  const { code, stdout } = await runHere(["operate", "restore-backup", dir, "--data", emptyDirectory(), "--yes", "--json"]);
  expect({ code, restored: JSON.parse(stdout) as unknown }).toMatchObject({ code: 0, restored: { read_only: false, replaced: null } });
});

test("check and backup say that there is no board, and leave nothing behind", async () => {
  for (const command of ["check", "backup"]) {
    const [empty, dir] = [emptyDirectory(), join(emptyDirectory(), "backup")];
    const asked = command === "check" ? [command] : [command, dir];
    const { code, stdout, stderr } = await runHere(["operate", ...asked, "--data", empty]);
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: "",
      stderr: `There is no board in ${empty}. Give its directory with --data.\n`,
    });
    expect([readdirSync(empty), existsSync(dir)]).toEqual([[], false]);
  }
});

test("a directory and a database that only the environment names are two boards: which one is asked, and nothing done", async () => {
  const url = "postgres://nobody@127.0.0.1:9/nothing";
  const home = emptyDirectory();
  writeFileSync(join(home, ".env"), `BOARD_DATABASE_URL=${url}\n`);
  const run = (flags: readonly string[], env: Readonly<Record<string, string>>, cwd = emptyDirectory()) =>
    BoardProcess.spawn({ args: ["operate", "stats", "--json", "--yes", ...flags], env, cwd }).ended;
  const environment = { BOARD_DATABASE_URL: url };
  for (const asked of [run(["--data", data], environment), run(["--data", data], {}, home)]) {
    const { code, stdout, stderr } = await asked;
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    const { message } = (JSON.parse(stderr) as { error: { message: string } }).error;
    for (const words of [`--data names the one in ${data}`, "--database-url none", "leave --data out"]) expect(message).toContain(words);
  }
  expect(await run(["--data", data, "--database-url", "none"], environment)).toMatchObject({ code: 0, stderr: "" });
  expect(await run(["--data", data, "--database-url", "none"], {}, home)).toMatchObject({ code: 0, stderr: "" });
  // If both are flags, or neither is one, the database counts.
  for (const flags of [["--data", data, "--database-url", url], []]) {
    const { code, stderr } = await run(flags, { ...environment, BOARD_DATA_DIR: data });
    expect({ code, database: stderr.includes("ECONNREFUSED") || stderr.includes("--database-url") }).toEqual({ code: 1, database: true });
  }
});

test("the minimum proof of work is a number, from the settings that the command sees or as it was set", async () => {
  const rowIn = async (env: Readonly<Record<string, string>>): Promise<string | undefined> => {
    const { stdout } = await runHere(["operate", "stats", "--data", data], { env });
    return /^minimum proof of work +(.+)$/m.exec(stdout)?.[1];
  };
  await json("set-pow", "default");
  expect(await rowIn({ BOARD_BASE_URL: "https://board.example" })).toBe("18 bits (from configuration, as this command sees it)");
  expect(await rowIn({ BOARD_POW_BITS: "20" })).toBe("20 bits (from configuration, as this command sees it)");
  await json("set-pow", "22");
  expect(await rowIn({ BOARD_POW_BITS: "20" })).toBe("22 bits (set by the operator)");
});

test("an impossible command is refused with a clear text, and nothing is done", async () => {
  const cases: readonly (readonly [readonly string[], number, string])[] = [
    [["remove", "f".repeat(64), ...why, "--yes"], 1, "There is no message"],
    [["remove", "f".repeat(64)], 2, "--category is missing"],
    [["reports"], 2, "flags: blackboard operate reports <list|show|dismiss> ..."],
    [["reports", "lst"], 2, 'no command "lst": blackboard operate reports <list|show|dismiss> ...'],
    [["set-pow", "99", "--yes"], 2, "from 0 to 64"],
    [["read-only", "on", "--json"], 1, "with --json give --yes"],
    [["unblock-key", agent.id, "--yes"], 1, "is not blocked"],
  ];
  for (const [args, code, words] of cases) {
    const said = await operate(args);
    expect({ code: said.code, words: said.err.includes(words) }, `${args.join(" ")}: ${said.err}`).toEqual({ code, words: true });
  }
});

test("the commands of the operator's trouble table work as they are printed", async () => {
  await using other = await TestBoard.start();
  const spammer = other.agent();
  const { id } = await other.put(spammer, { kind: "note", title: "buy now" });
  const table = readFileSync(join(import.meta.dirname, "../../docs/operate.md"), "utf8").split("## When something goes wrong")[1] ?? "";
  const commands = [...table.matchAll(/^\|.*$/gm)].flatMap(([row]) =>
    [...row.matchAll(/`blackboard (operate [^`]+)`/g)].map(([, command = ""]) => command),
  );
  expect(commands.length).toBeGreaterThanOrEqual(5);
  for (const command of commands) {
    const words = Array.from(command.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, plain]) => quoted ?? plain ?? "");
    const args = [...words.map((word) => (word === "AGENT" ? spammer.id : word)), "--yes", ...placeOf(other.data)];
    expect({ command, ...(await runHere(args)) }).toMatchObject({ command, code: 0, stderr: "" });
  }
  expect((await other.get(`/api/messages/${id}`)).status).toBe(410);
  expect((await other.post(spammer, { kind: "note", title: "more" })).status).toBe(451);
});

test("every act of an operator leaves a line with time, user and act before it and one after it, in a file for the owner alone", async () => {
  const path = join(data, "operator.log");
  const lines = () =>
    readFileSync(path, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const { id } = await post("noted");
  const before = existsSync(path) ? lines().length : 0;
  const headers = { "content-type": "application/json" };
  const report = { target: id, category: "other", explanation: "zqxjwords of a reporter" };
  await fetch(`${board.url}/api/reports`, { method: "POST", headers, body: JSON.stringify(report) });
  const { reports } = await json<{ reports: { id: string }[] }>("reports", "list", "--state", "open");
  const notice = reports.at(-1)?.id ?? "";
  await json("reports", "show", notice);
  await json("reports", "dismiss", notice);
  await json("set-pow", String(TEST_BITS), "--max", "9", "--now");
  await json("set-pow", "default");
  await json("read-only", "off");
  await json("backup", join(emptyDirectory(), "backup"));
  await json("remove", id, ...why.slice(0, -1), "zqxjfacts that quote");
  await operate(["remove", id, ...why], "n\n");
  await json("stats");
  const noted = lines().slice(before);
  expect(noted.map(({ act, state }) => `${String(act)} ${String(state)}`)).toEqual(
    ["reports list", "reports show", "reports dismiss", "set-pow", "set-pow", "read-only", "backup", "remove"]
      .flatMap((act) => [`${act} begun`, `${act} done`])
      .concat("remove begun"),
  );
  expect(noted[2]).toEqual({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
    user: userInfo().username,
    act: "reports show",
    arguments: [notice],
    state: "begun",
  });
  expect(noted[6]).toMatchObject({ arguments: [String(TEST_BITS)], flags: { max: "9", now: true } });
  expect(readFileSync(path, "utf8")).not.toContain("zqxj");
  const modes = ["operator.log", "board.db", "board.key"].map((name) => statSync(join(data, name)).mode & 0o777);
  expect(modes).toEqual([0o600, 0o600, 0o600]);
});
