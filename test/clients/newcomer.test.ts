// A newcomer's first day, on boards that have just been started, with the usual limits: every example of the manual, every command of
// client.py and every tool of MCP. The manual and the tools do the usual proof of work too.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { MessageRecord } from "../../src/core/view/record.ts";
import { bash, codeBlocks, patientPath } from "../support/code-blocks.ts";
import { BoardProcess, emptyDirectory } from "../support/process.ts";
import { runPython } from "../support/python.ts";
import { withFreePort } from "../support/smtp.ts";

/** The usual proof of work takes minutes on a busy machine. */
const BUSY = { timeout: 1_800_000 };

const serve = (...flags: readonly string[]): Promise<BoardProcess> =>
  withFreePort((smtp) => BoardProcess.serve(emptyDirectory(), ["--profile", "public", "--smtp-port", String(smtp), ...flags]));

let board: BoardProcess;
beforeAll(async () => {
  board = await serve();
});
afterAll(() => board[Symbol.asyncDispose]());

interface Posted {
  readonly id: string;
  readonly seq: number;
}

/** The file as the board serves it, and nothing else. */
async function commandsOf(url: string) {
  const home = emptyDirectory();
  const client = join(home, "client.py");
  writeFileSync(client, await (await fetch(`${url}/client.py`)).text());
  const used = new Set<string>();
  const run = async (who: string, ...args: readonly string[]): Promise<string> => {
    used.add(args[0] ?? "");
    const env = { BLACKBOARD_URL: url, BLACKBOARD_KEY_FILE: join(home, `${who}.key`) };
    const { code, stdout, stderr } = await runPython([client, ...args], { cwd: home, env });
    expect([code, args, stderr]).toEqual([0, args, expect.any(String)]);
    expect(stdout.length, args.join(" ")).toBeGreaterThan(0);
    return stdout;
  };
  const post = async (who: string, ...args: readonly string[]) => JSON.parse(await run(who, ...args, "--json")) as Posted;
  const { stdout: help } = await runPython([client, "--help"], { cwd: home });
  const known = [...help.matchAll(/^ {4}([a-z][a-z-]+) /gm)].map(([, name = ""]) => name);
  return { home, run, post, used, known };
}

test("the manual: its programs are saved, its commands are run in order, and all of it does what it says", BUSY, async () => {
  const manual = await (await fetch(`${board.url}/llms-full.txt`)).text();
  const home = emptyDirectory();
  const printed: string[] = [];
  const commands: string[] = [];
  const marker = "=== the next block ===";
  for (const { language, text, lead } of codeBlocks(manual)) {
    const [, file] = /^Save as `([\w.]+)`/.exec(lead) ?? [];
    if (file !== undefined) writeFileSync(join(home, file), text);
    else if (language === "sh") commands.push(text);
    else throw new Error(`A block that nobody runs: ${lead} ${text}`);
  }
  printed.push(...(await bash(commands.join(`\necho '${marker}'\n`), home, { PATH: patientPath() })).split(`${marker}\n`));
  expect(printed).toHaveLength(commands.length);
  for (const [i, output] of printed.entries()) {
    expect(output.length, commands[i]).toBeGreaterThan(10);
    expect(output, commands[i]).not.toMatch(/"error":|"isError":true/);
  }
  const outputOf = (part: string): string => printed[commands.findIndex((block) => block.includes(part))] ?? "";
  const work = outputOf("QUESTION=");
  const [question = ""] = /[0-9a-f]{64}/.exec(work) ?? [];
  const { messages } = (await (await fetch(`${board.url}/api/messages?kind=question`)).json()) as { messages: MessageRecord[] };
  expect(messages).toMatchObject([{ id: question, derived: { status: "resolved", answers: 1 } }]);
  expect(outputOf("post.py")).toMatch(/^[0-9a-f]{64}\n$/);
  expect(outputOf("/api/similar")).toContain(question);
  expect(outputOf("Last-Event-ID")).toMatch(/^event: hello$/m);
  expect(outputOf("Last-Event-ID")).toMatch(/"resumed_from":\d+/);
  expect(readFileSync(join(home, "seen.txt"), "utf8")).toMatch(/^event: live$/m);
  expect(outputOf("assist/post")).toContain('"assisted":true');
  expect(outputOf("mirror-watch")).toMatch(/Are you there\?/);
  expect(outputOf("verify-log")).toMatch(/^good .*the log of/);
  expect(outputOf("/api/reports")).toContain('"state":"received"');
  expect(outputOf("/mcp")).toContain("# Open work");
});

test("every command works, from a key that is not there yet to a log that is checked", async () => {
  await using easy = await serve("--pow-bits", "8");
  const { home, run, post, used, known } = await commandsOf(easy.url);
  for (const who of ["asker", "worker"]) await run(who, "keygen");
  const { agent_id: asker } = JSON.parse(await run("asker", "whoami", "--json")) as { agent_id: string };
  writeFileSync(join(home, "t.csv"), "a,b\n1,2\n");

  const note = await post("asker", "post", "note", "--title", "Hello", "--tag", "hello");
  const task = await post("asker", "task", "Sum the csv", "--needs", "python", "--attach", "t.csv");
  const question = await post("asker", "question", "Which mirror is stale?");
  await post("asker", "ask", "Which one is not?");
  expect(await run("worker", "work", "--offers", "python")).toContain("Sum the csv");
  expect(await run("worker", "next", "--offers", "python", "--wait", "1")).toContain(task.id);
  expect(await run("worker", "attachment", task.id.slice(0, 12))).toBe("a,b\n1,2\n");
  await run("worker", "release", task.id);
  await run("worker", "claim", task.id);
  const wrong = await post("worker", "answer", task.id, "4");
  await run("asker", "refute", wrong.id, "1 + 2 is 3.");
  const right = await post("worker", "supersede", wrong.id, "3");
  await run("asker", "verify", right.id, "Added again.");
  await run("asker", "resolve", task.id);
  await run("worker", "reply", question.id, "The second one?", "--to", asker);
  await run("worker", "signal", note.id, "useful");
  await run("asker", "retract", note.id);
  await run("worker", "report", question.id, "spam", "Only a try.");
  await run("asker", "alias", "claim", "mirror-desk");
  for (const args of [["lookup", "mirror-desk"], ["list"]]) await run("worker", "alias", ...args);
  await run("asker", "alias", "release", "mirror-desk");
  for (const command of ["show", "thread"]) expect(await run("worker", command, task.id)).toContain("Sum the csv");
  expect(await run("worker", "thread", right.id, "--scope", "subtree", "--fold", "--max-chars", "4000")).toContain(right.id);
  for (const args of [["list"], ["search", "mirror"], ["similar", "a stale mirror"], ["agents"], ["tags", "--field", "need"], ["changes"]])
    await run("worker", ...args);
  expect(await run("asker", "inbox")).toContain(right.id.slice(0, 12));
  await run("asker", "ack", "--seen", String(right.seq));
  await run("asker", "brief");
  expect(await run("worker", "watch", "--last-event-id", String(task.seq - 1), "--count", "1")).toContain(task.id.slice(0, 12));
  expect(await run("worker", "verify-log")).toMatch(/^good/);
  expect(await run("asker", "key", "show")).toContain("key_commit");
  // Tree heads and receipts are checked in their own tests.
  expect(known.filter((name) => !used.has(name))).toEqual(["verify-head", "verify-receipt"]);
});

test("every tool works for an agent that has nothing but MCP, within the limits of one address", async () => {
  const rpc = async (method: string, params: object): Promise<Record<string, unknown>> => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${board.url}/mcp`, {
      method: "POST",
      headers,
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    return ((await answer.json()) as { result: Record<string, unknown> }).result;
  };
  const used = new Set<string>();
  let read = 0;
  const call = async (name: string, given: object = {}): Promise<string> => {
    used.add(name);
    const { content, isError } = (await rpc("tools/call", { name, arguments: given })) as {
      content: { text: string }[];
      isError?: boolean;
    };
    const text = content[0]?.text ?? "";
    expect([name, isError, text]).toEqual([name, undefined, expect.stringMatching(/./)]);
    read += text.length;
    return text;
  };
  const found = (text: string, form: RegExp): string => form.exec(text)?.[1] ?? "";
  const made = async () => {
    const text = await call("create_identity");
    return { secret_key: found(text, /secret_key: (\S+)/), agent: found(text, /agent_id: (\S+)/) };
  };
  const [asker, worker] = [await made(), await made()];
  const key = ({ secret_key }: { secret_key: string }) => ({ secret_key });
  const posted = async (who: { secret_key: string }, message: object): Promise<string> =>
    found(await call("post_message", { ...message, ...key(who) }), /^created: ([0-9a-f]{64})/);

  expect(await call("board_guide")).toContain("take_work");
  const attachments = [{ name: "t.csv", mime: "text/csv", text: "a,b\n1,2\n" }];
  const task = await posted(asker, { kind: "task", title: "Sum the csv", needs: ["python"], attachments });
  expect(await call("find_work", { offers: ["python"] })).toContain(task);
  expect(await call("take_work", { offers: "python", wait: 1, ...key(worker) })).toContain(task);
  expect(await call("get_attachment", { id: task.slice(0, 12) })).toContain("1,2");
  const delivered = await call("post_message", {
    kind: "result",
    body: "3",
    refs: [{ rel: "answers", id: task.slice(0, 12) }],
    ...key(worker),
  });
  expect(delivered).toContain(`now: task ${task.slice(0, 12)} is answered`);
  const inbox = await call("read_inbox", { agent: asker.agent });
  expect(inbox).toContain("answers");
  expect(inbox).toContain("Acknowledged up to seq 0.");
  const seen = Number(found(inbox, /acknowledge \{"seen":(\d+)\}/));
  await call("acknowledge", { seen, ...key(asker) });
  expect(await call("read_inbox", { agent: asker.agent })).toContain(`Acknowledged up to seq ${seen}.`);
  await call("brief", { agent: asker.agent });
  expect(await call("get_message", { id: task.slice(0, 12) })).toContain("Sum the csv");
  expect(await call("get_thread", { id: task })).toContain("folded: claims by");
  await call("search_messages", { q: "csv" });
  await call("wait_for_messages", { after_seq: seen - 5, wait: 1 });
  await call("list_agents", { agent: worker.agent });
  const { pk } = (await (await fetch(`${board.url}/api/agents/${worker.agent}`)).json()) as { pk: string };
  const prepared = await call("prepare_message", { pk, kind: "note" });
  expect(prepared).toContain("payload, between the marker lines:");
  await call("alias", { op: "claim", alias: "sums", ...key(worker) });
  await call("report_message", { target: task, category: "spam", explanation: "Only a try." });
  const { tools } = (await rpc("tools/list", {})) as { tools: { name: string }[] };
  const manual = await (await fetch(`${board.url}/llms/mcp.txt`)).text();
  const names = tools.map(({ name }) => name);
  // Calls that need the caller's own key have their own tests.
  expect(names.filter((name) => !used.has(name))).toEqual(["submit_message"]);
  expect(names.filter((name) => !manual.includes(`\`${name}\``))).toEqual([]);
  expect(read / 3.5).toBeLessThan(6000);
});
