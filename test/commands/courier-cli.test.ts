// `blackboard courier` and `blackboard hook` as a person and a harness run them.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readKeyFile, writeKeyFile } from "../../src/cli/key-file.ts";
import { makeKey } from "../../src/client/key.ts";
import { HOUR_MS } from "../../src/core/durations.ts";
import { stateFile } from "../../src/courier/state.ts";
import { TestBoard } from "../support/board.ts";
import { ACTING_AGENT, actsIn, courierFile, SECRET } from "../support/courier.ts";
import { eventually } from "../support/eventually.ts";
import { BoardProcess, emptyDirectory } from "../support/process.ts";
import { runHere } from "../support/program.ts";

let board: TestBoard;
let directory: string;
let keyFile: string;
let agent: string;
beforeAll(async () => void (board = await TestBoard.start()));
afterAll(() => board[Symbol.asyncDispose]());
beforeEach(async () => {
  directory = emptyDirectory();
  keyFile = join(directory, "agent.key");
  writeKeyFile(keyFile, await makeKey());
  ({ agent } = await readKeyFile(keyFile));
});

const exec = (acts: string) => ({ adapter: "exec", command: [process.execPath, ACTING_AGENT, "exec", acts], retry_s: 0.01 });

describe("the settings", () => {
  test("that are right are shown without their secrets", async () => {
    const hook = { adapter: "webhook", url: "http://127.0.0.1:1/", secret: SECRET, allow_private: true };
    const ntfy = { adapter: "ntfy", server: "http://127.0.0.1:1/", topic: "t", token: "tk_abc", allow_private: true };
    const path = courierFile({ board: board.url, key_file: "agent.key", deliver: [exec("acts.db"), hook, ntfy] }, directory);
    const { code, stdout, stderr } = await runHere(["courier", "check", "--config", path]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(`agent       ${agent}\n`);
    expect(stdout).toContain("everything is there");
    expect(stdout).not.toMatch(/whsec|tk_abc/);
    expect(stdout).not.toContain(readFileSync(keyFile, "utf8").trim());
  });

  test("that are wrong are all named at once, each with what would be right, and no value of them is repeated", async () => {
    const deliver = [
      { adapter: "exec", command: [], batch: 65, wait: 1 },
      { adapter: "webhook", url: "ftp://x", secret: "hunter2" },
      { adapter: "ntfy", topic: "a b", ack: "acted" },
      { adapter: "pigeon" },
    ];
    const path = courierFile({ board: "board.example", deliver }, directory);
    const { code, stderr } = await runHere(["courier", "--config", path]);
    expect(code).toBe(2);
    for (const part of [
      "`board` must be an address",
      "`deliver.0.command` must be a list",
      "`deliver.0.batch` must be at most 64",
      "`deliver.0` has unknown settings: wait",
      "`deliver.1.url` must be an address",
      "`deliver.1.secret` must be whsec_",
      "`deliver.2.topic` must be",
      "`deliver.2.ack` must be one of none",
      "exec, webhook, ntfy or mcp-channel",
    ])
      expect(stderr).toContain(part);
    expect(stderr).not.toContain("hunter2");
  });

  test("that others may read, that are not there, or that contradict each other are refused", async () => {
    const run = async (path: string) => (await runHere(["courier", "check", "--config", path])).stderr;
    const path = courierFile({ board: board.url, deliver: [{ ...exec("a"), ack: "acted" }, exec("b")] }, directory);
    const said = await run(path);
    expect(said).toContain("`key_file` or `agent`");
    expect(said).toContain("to sign acknowledgements");
    expect(said).toContain("two deliveries are called exec");
    chmodSync(path, 0o644);
    expect(await run(path)).toContain(`chmod 600 ${path}`);
    expect(await run(join(directory, "none.json"))).toContain("no such file");
    writeFileSync(path, "{", { mode: 0o600 });
    chmodSync(path, 0o600);
    expect(await run(path)).toContain("not JSON");
    const another = courierFile({ board: board.url, key_file: "agent.key", agent: board.agent().id, deliver: [exec("a")] }, directory);
    expect(await run(another)).toContain(`but the key is that of ${agent}`);
  });

  test("name a program beside them by its path, and a key by its file", async () => {
    const check = async (settings: object) => {
      const path = courierFile({ board: board.url, agent, deliver: [], ...settings }, directory);
      const { code, stdout, stderr } = await runHere(["courier", "check", "--config", path]);
      return { code, said: stdout + stderr };
    };
    const wake = (command: unknown) => check({ deliver: [{ adapter: "exec", command }] });
    writeFileSync(join(directory, "wake.sh"), "#!/bin/sh\n", { mode: 0o700 });
    expect(await wake(["./wake.sh"])).toMatchObject({ code: 0 });
    expect((await wake(["wake.sh"])).said).toContain("write ./wake.sh for a program in the directory of the settings file");
    expect((await wake("wake.sh")).said).toContain("`deliver.0.command` must be a list: the program, then its arguments, such as");
    const inDirectory = await check({ agent: undefined, key_file: ".", deliver: [exec("a")] });
    expect(inDirectory).toMatchObject({ code: 1, said: expect.stringContaining("is not a file: name the key file itself") as string });
    expect(inDirectory.said).not.toContain("chmod");
  });

  test("with an unreadable state still show the other deliveries", async () => {
    const path = courierFile({ board: board.url, agent, deliver: [{ ...exec("a"), name: "bad" }, exec("b")] }, directory);
    mkdirSync(join(directory, "state"));
    writeFileSync(join(directory, "state", "bad.json"), "{");
    const aside = { id: "ab", seq: 7, at: "2026-01-01T00:00:00.000Z", times: 5, why: "exit code 1" };
    const file = join(directory, "state", "exec.set-aside.jsonl");
    // A crash has cut the second line off.
    writeFileSync(file, `${JSON.stringify(aside)}\n{"id":"cd","se`);
    const status = await runHere(["courier", "status", "--config", path]);
    expect(status).toMatchObject({ code: 1, stderr: expect.stringContaining("The state of bad cannot be read.") as string });
    expect(status.stdout).toMatch(/^bad: The state .+ cannot be read[^]+exec: not begun\n  set aside ab, seq 7[^\n]+\n$/);
    stateFile(join(directory, "state"), "exec").setAside({ ...aside, id: "ef" });
    expect(readFileSync(file, "utf8")).toBe(`${JSON.stringify(aside)}\n${JSON.stringify({ ...aside, id: "ef" })}\n`);
  });

  test("that name what is not there say so", async () => {
    const deliver = [
      { adapter: "exec", command: ["no-such-program-anywhere"] },
      { adapter: "webhook", url: "https://localhost/", secret: SECRET },
      { adapter: "mcp-channel", fallback: { command: ["/no/such"] } },
    ];
    const state = join(directory, "d".repeat(120));
    const path = courierFile({ board: "http://127.0.0.1:1", agent, state, deliver }, directory);
    const { code, stdout } = await runHere(["courier", "check", "--config", path]);
    expect(code).toBe(1);
    for (const part of [
      "the board: No answer",
      "exec: there is no executable program",
      "webhook: localhost is not a public address, or resolves",
      "mcp-channel: there is no executable program",
      "the path of the socket",
    ])
      expect(stdout).toContain(`fault       ${part}`);
  });
});

test("the process delivers, says how far it is, and ends on a signal", async () => {
  const acts = join(directory, "acts.db");
  const path = courierFile({ board: board.url, key_file: "agent.key", deliver: [exec(acts)] }, directory);
  expect((await runHere(["courier", "status", "--config", path])).stdout).toBe("exec: not begun\n");
  await board.put(board.agent(), { kind: "note", title: "from before", to: agent });
  await using courier = BoardProcess.spawn({ args: ["courier", "--config", path] });
  await eventually("it has begun", () => (courier.stderr.includes("begins after seq") ? true : undefined));
  const { id, seq } = await board.put(board.agent(), { kind: "note", title: "wake up", to: agent });
  await eventually("acted", () => (actsIn(acts).length > 0 ? true : undefined));
  await eventually("kept", () => (courier.stderr.includes(`up to seq ${seq}`) ? true : undefined));
  expect(actsIn(acts)).toEqual([{ id, seq }]);
  expect(await courier.kill("SIGTERM")).toMatchObject({ code: 0, signal: null });
  expect((await runHere(["courier", "status", "--config", path])).stdout).toMatch(/^exec: delivered up to seq \d+\n$/);
});

describe("a harness", () => {
  const hook = (name: string, input?: string) => {
    const args = ["hook", name, "--url", board.url, "--key-file", keyFile, "--state", join(directory, "hook.json")];
    return BoardProcess.spawn({ args, ...(input === undefined ? {} : { input }) }).ended;
  };

  test("gets the brief as a session begins, and at the end of a turn only what came since", async () => {
    const { id: first } = await board.put(board.agent(), { kind: "task", title: "do this", to: agent });
    const begun = await hook("session-start", "{}");
    expect(begun).toMatchObject({ code: 0, stderr: "" });
    expect(begun.stdout).toContain(first);
    expect(begun.stdout).toMatch(/<<<DATA [0-9a-f]{12}\ndo this/);
    expect(await hook("stop", "{}")).toMatchObject({ code: 0, stdout: "", stderr: "" });
    const { id: second } = await board.put(board.agent(), { kind: "note", title: "and that", to: agent });
    const ended = await hook("stop", '{"stop_hook_active":false}');
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toContain(second);
    expect(ended.stderr).not.toContain(first);
    expect(await hook("stop", "{}")).toMatchObject({ code: 0, stderr: "" });
    await board.put(board.agent(), { kind: "note", title: "later", to: agent });
    expect(await hook("stop", '{"stop_hook_active":true}')).toMatchObject({ code: 0, stderr: "" });
    expect((await hook("stop", "{}")).code).toBe(2);
  });

  test("is not made to continue by a wrong flag, and learns at the next end what could not be reported", async () => {
    const stop = (...more: string[]) =>
      runHere(["hook", "stop", "--url", board.url, "--key-file", keyFile, "--state", join(directory, "hook.json"), ...more], {
        input: "{}",
      });
    await stop();
    const { id } = await board.put(board.agent(), { kind: "note", title: "news", to: agent });
    for (const wrong of [["--budget", "x"], ["--no-such-flag"], ["extra"], ["--budget", "10"]])
      expect(await stop(...wrong), wrong.join(" ")).toMatchObject({ code: 1, stdout: "" });
    const ended = await hook("stop", "{}");
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(id);
  });

  test("learns at the end of a turn that a lease was lost", async () => {
    const { id } = await board.put(board.agent(), { kind: "task", title: "a task with a title of some length, as people write them" });
    const claimed = await runHere(["claim", id, "--lease", "30m", "--url", board.url, "--key-file", keyFile]);
    expect(claimed).toMatchObject({ code: 0 });
    await hook("session-start", "{}");
    expect(await hook("stop", "{}")).toMatchObject({ code: 0, stderr: "" });
    board.clock.advance(HOUR_MS);
    const ended = await hook("stop", "{}");
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toContain(`${id} · lease lost`);
    expect(await hook("stop", "{}")).toMatchObject({ code: 0, stderr: "" });
  });

  test("learns what is new on each board, though one file remembers all boards", async () => {
    await using second = await TestBoard.start();
    const state = join(directory, "hook.json");
    const stop = (url: string) => runHere(["hook", "stop", "--url", url, "--key-file", keyFile, "--state", state], { input: "{}" });
    // The second board has fewer entries than the first.
    for (const url of [board.url, second.url]) expect(await stop(url)).toMatchObject({ code: 0, stderr: "" });
    const { id: there } = await second.put(second.agent(), { kind: "note", title: "there", to: agent });
    const { id: here } = await board.put(board.agent(), { kind: "note", title: "here", to: agent });
    expect(await stop(board.url)).toMatchObject({ stderr: expect.stringContaining(here) as string });
    expect(await stop(second.url)).toMatchObject({ stderr: expect.stringContaining(there) as string });
    for (const url of [board.url, second.url]) expect(await stop(url)).toMatchObject({ code: 0, stderr: "" });
  });

  test("learns that nothing can be remembered", async () => {
    const args = ["hook", "stop", "--url", board.url, "--key-file", keyFile, "--state", "/proc/no-such/../x/hook.json"];
    const { code, stderr } = await runHere(args, { input: "{}" });
    expect(code).toBe(1);
    expect(stderr).toContain("cannot be made");
  });

  test("is not held up by a board that is away", async () => {
    const args = [
      "hook",
      "stop",
      "--url",
      "http://127.0.0.1:1",
      "--key-file",
      keyFile,
      "--tries",
      "1",
      "--state",
      join(directory, "hook.json"),
    ];
    const { code, stderr } = await BoardProcess.spawn({ args, input: "{}" }).ended;
    expect(code).toBe(3);
    expect(stderr).toContain("unreachable");
  });
});
