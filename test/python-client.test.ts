// client.py, run by a real python3 against a real board: every command, every promise it makes.
import { createHash } from "node:crypto";
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HOUR_MS } from "../src/core/spans.ts";
import { Agent } from "./support/agent.ts";
import { bash } from "./support/code-blocks.ts";
import { TestBoard } from "./support/board.ts";
import { ManualClock } from "./support/manual-clock.ts";
import { emptyDirectory } from "./support/process.ts";
import { Proxy } from "./support/proxy.ts";
import { CLIENT, CLIENT_DIRECTORY, PythonAgent, runPython } from "./support/python.ts";
import { noVectors, VECTORS_DIRECTORY, WITH_VECTORS } from "./support/vectors.ts";

interface Listed {
  readonly messages: readonly { readonly id: string; readonly content: { readonly body?: string } }[];
}
interface Posted {
  readonly id: string;
  readonly result: string;
  readonly meta: Readonly<Record<string, unknown>>;
}
interface Refused {
  readonly error: { readonly code: string; readonly message: string; readonly hint: string; readonly docs: string };
}

let board: TestBoard;
let asker: PythonAgent;
let worker: PythonAgent;
let ids: { readonly asker: string; readonly worker: string };

beforeAll(async () => {
  board = await TestBoard.start();
  asker = new PythonAgent(board.url);
  // One of the two signs and checks without any library.
  worker = new PythonAgent(board.url, { BLACKBOARD_ED25519: "pure" });
  const made = await Promise.all([asker, worker].map((agent) => agent.json<{ agent_id: string }>("keygen")));
  ids = { asker: made[0]?.agent_id ?? "", worker: made[1]?.agent_id ?? "" };
});
afterAll(async () => {
  asker[Symbol.dispose]();
  worker[Symbol.dispose]();
  await board[Symbol.asyncDispose]();
});

describe("the file itself", () => {
  test("is served as Python, set to the board that it came from, and otherwise as it stands in the package", async () => {
    const { status, headers, body } = await board.get<string>("/client.py");
    expect([status, headers.get("content-type")]).toEqual([200, "text/x-python; charset=utf-8"]);
    expect(body).toContain('\nDEFAULT_URL = "http://board.test"\n');
    const path = join(asker.home, "served.py");
    writeFileSync(path, body);
    const diff = `import difflib, sys; a, b = (open(p, encoding="utf-8").read().splitlines() for p in sys.argv[1:]); print([l for l in difflib.ndiff(a, b) if l[0] in "+-"])`;
    const { stdout } = await runPython(["-c", diff, CLIENT, path]);
    expect(stdout.trim()).toBe(`['- DEFAULT_URL = "http://localhost:8787"', '+ DEFAULT_URL = "http://board.test"']`);
    expect((await runPython([path, "--help"])).stdout).toContain("verify-log");
  });
  test("keeps to the language of Python 3.9 and to the standard library", async () => {
    const check = [
      "import ast, sys",
      "ast.parse(open(sys.argv[1] + '/client.py', encoding='utf-8').read(), feature_version=(3, 9))",
      "sys.path.insert(0, sys.argv[1])",
      "import client",
      "print([backend.name for backend in client.ed25519_backends()], client.Key.generate().sign('x') != '')",
    ].join("\n");
    // Isolated and without site-packages: nothing is there that does not come with Python itself.
    const { stdout, stderr } = await runPython(["-I", "-S", "-c", check, CLIENT_DIRECTORY]);
    expect([stdout, stderr]).toEqual(["['pure'] True\n", ""]);
  });
  test(`agrees with the protocol vectors, and its Ed25519 with the public ones ${WITH_VECTORS}`, async () => {
    const env = noVectors ? {} : { VECTORS_DIR: VECTORS_DIRECTORY };
    const { code, stderr } = await runPython(["-W", "error", "-m", "unittest", "test_client"], { cwd: CLIENT_DIRECTORY, env });
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringMatching(noVectors ? /skipped=2/ : /OK\n$/) as string });
  });
  test("signs without any library exactly as the board's own library does", async () => {
    const cases = Array.from({ length: 40 }, (_, i) => ({ seed: createHash("sha256").update(`seed ${i}`).digest(), text: `Grüße ${i}` }));
    const script = [
      "import json, sys, client",
      "pure = client.PureEd25519()",
      "for seed, text in json.load(sys.stdin): print(client.to_base64url(pure.sign(bytes.fromhex(seed), text.encode())))",
    ].join("\n");
    const input = JSON.stringify(cases.map(({ seed, text }) => [seed.toString("hex"), text]));
    const { stdout } = await runPython(["-c", script], { cwd: CLIENT_DIRECTORY, input });
    expect(stdout.trim().split("\n")).toEqual(cases.map(({ seed, text }) => new Agent(Date.now, seed).sign(text)));
  });
});

describe("a round of work by commands alone", () => {
  let question: string;
  test("ask, find, claim, answer, verify, resolve: each step shows on the board", async () => {
    const asked = await asker.json("ask", "How many rows has the table?", "--tag", "data,rows", "--needs", "counting", "--ttl", "3600");
    question = asked.id;
    const found = await worker.json<Listed>("work", "--needs", "counting");
    expect(found.messages.map(({ id }) => id)).toEqual([question]);
    expect((await worker.json<Posted>("claim", question.slice(0, 12), "--lease", "1h")).meta).toMatchObject({ kind: "claim", lease: "1h" });
    expect((await board.record(question)).derived).toMatchObject({ status: "claimed", claimed_by: ids.worker });
    const answered = await worker.json("answer", question, "Eight.", "--confidence", "0.9");
    expect((await asker.json<Listed>("inbox")).messages.map(({ id }) => id)).toContain(answered.id);
    const now = (id: string, status: string) => new RegExp(`^created .+\nseq .+\nurl .+\nnow +${id.slice(0, 12)} is ${status}\n$`);
    expect(await asker.text("verify", answered.id, "Counted again.")).toMatch(now(answered.id, "verified"));
    expect((await board.record(question)).derived.status).toBe("verified");
    expect(await worker.text("signal", question, "useful")).toMatch(now(question, "verified"));
    expect(await asker.text("inbox")).toMatch(/ {2}signal useful {2}/);
    const notMine = await worker.run(["resolve", question]);
    expect(notMine).toMatchObject({ code: 1, stdout: "" });
    expect(notMine.stderr).toContain(`is by ${ids.asker}, and only its author can resolve it`);
    expect(await asker.text("resolve", question)).toMatch(now(question, "resolved"));
    expect((await board.record(question)).derived.status).toBe("resolved");
    using other = new PythonAgent(board.url);
    await other.json("keygen");
    await other.json("verify", answered.id, "I counted nine.", "--refute");
    expect((await board.record(answered.id)).derived).toMatchObject({ verifies: 1, refutes: 1, status: "disputed" });
  });
  test("people see it as tables, and a thread as a tree", async () => {
    const listed = await asker.text("list", "--author", ids.asker, "--kind", "question");
    expect(await asker.text("search", "--author", ids.asker, "--where", "kind=question", "--where", "limit=5")).toBe(listed);
    expect(listed).toMatch(/^ID +KIND +STATUS +AUTHOR +RECEIVED +TITLE\n/);
    expect(listed).toMatch(new RegExp(`^${question.slice(0, 12)}  question  resolved  ${ids.asker}  .* How many rows`, "m"));
    const shown = await asker.text("show", question.slice(0, 8));
    expect(shown).toMatch(/^signature {3}checked here: it fits the payload, the key and the id$/m);
    expect(shown).toContain(`id          ${question}\n`);
    await using liar = await Proxy.start(() => board.url, { change: (_, body) => body.replaceAll("How many rows", "How many cows") });
    expect(await asker.run(["show", question], { url: liar.url })).toMatchObject({ code: 4 });
    const thread = await asker.text("thread", question);
    expect(thread).toMatch(/^ {4}\| Eight\.$/m);
    expect(thread).toMatch(/^ {2}confidence {2}0\.9$/m);
    expect(thread).toMatch(/^ {2}signal {6}useful$/m);
    expect(thread).toMatch(/^ {6}\| Counted again\.$/m);
    expect(await asker.text("work", "--tag", "nothing-has-this")).toBe("Nothing found.\n");
  });
});

describe("every other command does what it says", () => {
  test("post takes every field, files and standard input", async () => {
    writeFileSync(join(worker.home, "rows.csv"), "name;größe\n");
    const [alias] = [`name-${ids.asker.slice(3, 11)}`];
    expect(await asker.json("alias", "claim", `a${alias}`)).toMatchObject({ op: "claim", agent: ids.asker });
    const args = [
      "post",
      "finding",
      "--title",
      "Eight rows",
      "--body",
      "-",
      "--body-format",
      "plain",
      "--data",
      '{"rows":8}',
      "--data-schema",
      "count@1",
    ];
    const more = [
      "--offers",
      "counting",
      "--lang",
      "en",
      "--to",
      `a${alias}`,
      "--attach",
      "rows.csv",
      "--ref",
      `cites=${"0".repeat(64)}`,
      "--json",
    ];
    const { stdout, stderr } = await worker.run([...args, ...more], { input: "Counted\nby hand" });
    expect(stderr).toBe("");
    const { id, meta } = JSON.parse(stdout) as Posted;
    expect(meta).toMatchObject({
      kind: "finding",
      to: ids.asker,
      offers: ["counting"],
      lang: "en",
      data_schema: "count@1",
      body_format: "plain",
    });
    expect((await board.record(id)).content).toMatchObject({ body: "Counted\nby hand", data: { rows: 8 } });
    const sha256 = createHash("sha256").update("name;größe\n").digest("hex");
    expect(meta["attachments"]).toEqual([{ sha256, name: "rows.csv", mime: "text/csv", size: 13 }]);
    expect((await board.get<string>(`/api/blobs/${sha256}`)).body).toBe("name;größe\n");
  });
  test("alias: look up, list, and release within the same second as the claim", async () => {
    const alias = `b${ids.worker.slice(3, 11)}`;
    await worker.json("alias", "claim", alias);
    expect(await asker.json("alias", "lookup", `${alias}@localhost`)).toMatchObject({ alias, agent: ids.worker });
    expect(await asker.text("alias", "list", "--agent", ids.worker)).toContain(alias);
    expect(await asker.text("inbox", alias)).toMatch(/^ID /);
    expect(await worker.text("alias", "release", alias)).toBe(`op          release\nalias       ${alias}\nagent       ${ids.worker}\n`);
    const { code, stderr } = await worker.run(["alias", "lookup", alias]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^alias_unknown: /)]);
  });
  test("reply, search, similar, changes, retract", async () => {
    const note = await asker.json("post", "note", "--body", "The quokka is a small wallaby of Rottnest Island");
    const reply = await worker.json("reply", note.id, "It smiles, they say");
    expect((await asker.json<Listed>("search", "quokka -absent")).messages.map(({ id }) => id)).toEqual([note.id]);
    expect((await asker.json<Listed>("search", "smiles", "--where", `root=${note.id}`)).messages.map(({ id }) => id)).toEqual([reply.id]);
    expect((await asker.json<Listed>("similar", "a small wallaby, the quokka of Rottnest")).messages[0]?.id).toBe(note.id);
    const before = (await board.get<{ latest_seq: number }>("/api/messages?limit=1")).body.latest_seq;
    expect(await asker.json("retract", note.id)).toMatchObject({ result: "created" });
    const { changes } = await asker.json<{ changes: { type: string; id: string }[] }>("changes", "--after", String(before), "--raw");
    expect(changes).toMatchObject([{ type: "create" }, { type: "retract", id: note.id }]);
    expect(await asker.text("changes", "--after", String(before))).toMatch(/^SEQ +AT +TYPE +ID +DETAIL\n/);
    const gone = await asker.run(["show", note.id]);
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringMatching(/^retracted: .*\nhint: .*\ndocs: .*#err-retracted\n/)]);
  });
  test("a thread of more than one page is shown whole, and lists go on to the next page by themselves", async () => {
    const agent = board.agent();
    const { id } = await board.put(agent, { kind: "note", title: "A long thread" });
    const replies = Array.from({ length: 510 }, (_, i) => board.put(agent, { kind: "note", body: `${i}`, refs: [{ rel: "reply", id }] }));
    const ids = (await Promise.all(replies)).map((reply) => reply.id);
    const { messages, edges } = await asker.json<Listed & { edges: unknown[] }>("thread", id);
    expect(messages.map((one) => one.id).toSorted()).toEqual([id, ...ids].toSorted());
    expect(edges).toHaveLength(ids.length);
    const listed = await asker.json<Listed>("list", "--author", agent.id, "--limit", "505");
    expect(new Set(listed.messages.map((one) => one.id)).size).toBe(505);
  });
  test("a dry run shows what is similar, mines nothing and posts nothing; whoami knows who", async () => {
    const before = (await board.get("/api/changes?limit=1")).body["latest_seq"];
    expect(await asker.text("ask", "How many rows does the table have?", "--dry-run")).toMatch(
      /^valid {7}[0-9a-f]{64}\nwork {8}4 bits\n(warning .*\n)*similar /,
    );
    expect((await board.get("/api/changes?limit=1")).body["latest_seq"]).toBe(before);
    expect(await asker.text("whoami")).toContain(ids.asker);
  });
});

describe("what goes wrong is said, with an exit code that tells it apart", () => {
  test("1: the board's code, message, hint and docs, for people and for programs", async () => {
    const { code, stdout, stderr } = await asker.run(["claim", "f".repeat(64)]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^target_unknown: .+\nhint: .+\ndocs: http:\/\/board\.test\/llms-full\.txt#err-target_unknown\ndetails: \{/);
    const json = await asker.run(["claim", "f".repeat(64), "--json"]);
    const { error } = JSON.parse(json.stderr) as Refused;
    expect(error).toMatchObject({ code: "target_unknown", hint: expect.stringMatching(/./) as string });
  });
  test("1: input that cannot be used", async () => {
    const { code, stderr } = await asker.run(["post", "note", "--attach", "missing.txt"]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^missing\.txt cannot be attached: /)]);
  });
  test("1: a key that others can read is not used, and one that is there is not overwritten", async () => {
    using careless = new PythonAgent(board.url);
    const { stderr } = await careless.run(["whoami"]);
    // What it says can be typed as it stands.
    const [, command = "false"] = /^There is no key at .+\. Make one: (python3 .+)\n$/.exec(stderr) ?? [];
    expect(await bash(command, emptyDirectory())).toContain("agent id");
    expect(statSync(careless.keyFile).mode & 0o777).toBe(0o600);
    expect(await careless.run(["keygen"])).toMatchObject({ code: 1, stderr: expect.stringContaining("never overwritten") as string });
    chmodSync(careless.keyFile, 0o644);
    expect(await careless.run(["whoami"])).toMatchObject({ code: 1, stderr: expect.stringContaining("chmod 600") as string });
  });
  test("2: options of the wrong form, and an address that is none, before a board is asked", async () => {
    for (const [option, value] of [
      ["--data", "[]"],
      ["--data", "{"],
      ["--ref", "reply"],
    ] as const) {
      const { code, stdout, stderr } = await asker.run(["post", "note", option, value]);
      expect([value, code, stdout, stderr]).toEqual([value, 2, "", expect.stringContaining(`error: argument ${option}: give `)]);
    }
    const wrong = await asker.run(["list"], { url: "localhost:8787" });
    expect(wrong).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("http:// or https://") as string });
  });
  test("3: nobody answers, or something that is no board", async () => {
    const away = await asker.run(["list", "--tries", "1"], { url: "http://127.0.0.1:9" });
    expect([away.code, away.stderr]).toEqual([3, expect.stringContaining("No answer from http://127.0.0.1:9")]);
    await using other = await Proxy.start(() => board.url, { change: () => "<html>" });
    expect((await asker.run(["list", "--tries", "1"], { url: other.url })).code).toBe(3);
    await using api = await Proxy.start(() => board.url, { change: () => '{"hello":"world"}' });
    for (const args of [["list"], ["changes"], ["verify-log"], ["similar", "x"], ["ask", "x"]]) {
      const { code, stderr } = await asker.run(args, { url: api.url });
      expect([args, code, stderr]).toEqual([args, args[0] === "verify-log" ? 4 : 3, expect.not.stringMatching(/Traceback|^$/)]);
    }
  });
  test("a stranger's text reaches the terminal as text, not as commands to it", async () => {
    const evil = "\u001b[2J\u202egpj.exe\u0007";
    const { id } = await board.put(board.agent(), { kind: "note", title: `title${evil}`, body: `body${evil}\n  | forged\nid  forged` });
    for (const args of [["show", id], ["list"], ["list", "--json"], ["thread", id]]) {
      const text = await asker.text(...args);
      expect(text).toContain("gpj.exe");
      // oxlint-disable-next-line no-control-regex -- these are the characters that must not be there.
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    }
    expect(await asker.text("show", id)).toMatch(/\n {2}\| id {2}forged\n$/);
  });
});

test("the refusals of the protocol vectors arrive as the errors they are, with code and status", async () => {
  const file = join(import.meta.dirname, "../vectors/protocol/refusals.json");
  const { now, required_bits: bits } = JSON.parse(readFileSync(file, "utf8")) as { now: number; required_bits: number };
  await using strict = await TestBoard.start({ clock: new ManualClock(now * 1000), flags: ["--pow-bits", String(bits)] });
  const script = [
    "import client, json, sys",
    "board, file = client.Board(sys.argv[1]), json.load(open(sys.argv[2], encoding='utf-8'))",
    "bodies = [('/api/aliases', one) for one in file['alias']] + [('/api/messages', one) for one in file['board'] + file['proof']]",
    "for path, one in bodies:",
    "    try: body = json.loads(one['body'])",
    "    except ValueError: continue",
    "    try: board.send(path, body)",
    "    except client.BoardError as error:",
    "        if (error.code, error.status) == (one['code'], one['status']) and error.hint and error.docs: print('ok')",
    "        else: print(one['name'], error)",
  ].join("\n");
  const { stdout, stderr } = await runPython(["-c", script, strict.url, file]);
  expect([[...new Set(stdout.trim().split("\n"))], stderr]).toEqual([["ok"], ""]);
  expect(stdout.trim().split("\n").length).toBeGreaterThan(60);
});

describe("a board that is busy, far off or forgetful does not lose a post or get it twice", () => {
  test("503 with Retry-After: it waits and posts the same message again", async () => {
    let refused = 0;
    await using busy = await Proxy.start(() => board.url, {
      instead: ({ method }, response) => {
        if (method !== "POST" || refused++ > 0) return false;
        const error = { code: "overloaded", message: "Too much.", hint: "Wait.", docs: "" };
        response.writeHead(503, { "content-type": "application/json", "retry-after": "1" }).end(JSON.stringify({ error }));
        return true;
      },
    });
    const { code, stdout } = await asker.run(["post", "note", "--body", "patient"], { url: busy.url });
    expect([code, refused]).toEqual([0, 2]);
    expect(stdout).toMatch(/^created /);
  });
  test.each(["all", "half"] as const)(
    "an answer of which %s was lost on the way: the message is there once, and the client knows it",
    async (part) => {
      let lost = 0;
      const lose = ({ method }: { method?: string | undefined }) => (method === "POST" && lost++ === 0 ? part : undefined);
      await using shaky = await Proxy.start(() => board.url, { lose });
      const { stdout } = await asker.run(["post", "note", "--body", `only once ${part}`, "--json"], { url: shaky.url });
      const { id, result } = JSON.parse(stdout) as Posted;
      expect(result).toBe("exists");
      const { messages } = (await board.get<Listed>(`/api/messages?q="only once ${part}"`)).body;
      expect(messages.map((one) => one.id)).toEqual([id]);
    },
  );
  test("work that has become harder in the meantime is done again", async () => {
    await using stale = await Proxy.start(() => board.url, {
      change: (path, body) => (path === "/api/pow" ? body.replace('"required_bits":4', '"required_bits":0') : body),
    });
    for (let i = 0; i < 4; i++) {
      const { code, stderr } = await asker.run(["post", "note", "--body", `harder ${i}`], { url: stale.url });
      expect([code, stderr]).toEqual([0, ""]);
    }
  });
});

describe("verify-log", () => {
  const verify = (url: string, ...more: string[]) => asker.run(["verify-log", "--json", ...more], { url });
  const fault = async (change: (path: string, body: string) => string, ...more: string[]) => {
    await using liar = await Proxy.start(() => board.url, { change });
    const { code, stderr } = await verify(liar.url, ...more);
    const { error } = JSON.parse(stderr) as { error: { seq: number; what: string } };
    return { code, seq: error.seq, what: error.what };
  };
  interface Entry {
    readonly seq: number;
    readonly type: string;
    readonly digest: string;
    readonly hash: string;
    readonly raw?: { readonly payload: string; readonly sig: string };
  }
  const entries = async () => (await board.get<{ changes: Entry[] }>("/api/changes?limit=1000&include=raw")).body.changes;
  const onChanges = (from: string, to: string) => (path: string, body: string) =>
    path.startsWith("/api/changes") ? body.replace(from, to) : body;

  test("finds a lively board good, with and without a library, and says what it checked", async () => {
    const log = await entries();
    const { stdout } = await verify(board.url);
    const report = JSON.parse(stdout) as Record<string, unknown>;
    expect(report).toMatchObject({
      origin: "http://board.test",
      first_seq: 1,
      entries: log.length,
      messages: log.filter(({ type }) => type === "create").length,
      erased: log.filter(({ type, raw }) => type === "create" && raw === null).length,
      head: { seq: log.length, hash: log.at(-1)?.hash },
    });
    expect(report["erased"]).toBeGreaterThan(0);
    expect(await worker.text("verify-log")).toMatch(/^good .* from its first entry to seq \d+\n/);
  });
  test("remembers the head it found good, and later refuses a log that does not go on from there", async () => {
    const memory = join(asker.home, "head.json");
    expect((await verify(board.url, "--remember", memory)).code).toBe(0);
    await board.put(board.agent(), { kind: "note", body: "one more" });
    expect(JSON.parse((await verify(board.url, "--remember", memory)).stdout)).toMatchObject({ entries: 1 });
    const kept = JSON.parse(readFileSync(memory, "utf8")) as { pk: string; seq: number; hash: string };
    writeFileSync(memory, JSON.stringify({ ...kept, seq: kept.seq - 1 }));
    const refused = await verify(board.url, "--remember", memory);
    expect([refused.code, JSON.parse(refused.stderr)]).toMatchObject([4, { error: { seq: kept.seq, what: "prev" } }]);
  });
  test("a board cannot hide a rewritten past by saying that it has forgotten it", async () => {
    const memory = join(asker.home, "early.json");
    const { pk } = (await board.get<{ pk: string }>("/api/checkpoint")).body;
    writeFileSync(memory, JSON.stringify({ pk, seq: 2, hash: "0".repeat(64) }));
    const forget = (path: string, body: string) => {
      if (!path.startsWith("/api/changes")) return body;
      const page = JSON.parse(body) as { changes: Entry[] };
      return JSON.stringify({ ...page, oldest_seq: 5, changes: page.changes.filter(({ seq }) => seq >= 5) });
    };
    expect(await fault(forget, "--remember", memory)).toEqual({ code: 4, seq: 3, what: "order" });
    expect(JSON.parse(readFileSync(memory, "utf8"))).toMatchObject({ seq: 2 });
  });
  test.each(["hash", "digest"] as const)("one changed character of a %s is found at its place", async (field) => {
    const target = (await entries())[6];
    const value = target?.[field] ?? "";
    const other = (value.startsWith("0") ? "1" : "0") + value.slice(1);
    expect(await fault(onChanges(`"${field}":"${value}"`, `"${field}":"${other}"`))).toEqual({
      code: 4,
      seq: 7,
      what: field === "hash" ? "hash" : "digest",
    });
  });
  test("one changed character of a message is found at its place", async () => {
    const target = (await entries()).findLast(({ raw }) => raw?.payload.includes("harder 3"));
    expect(await fault(onChanges("harder 3", "harder 4"))).toEqual({ code: 4, seq: target?.seq, what: "digest" });
  });
  test("a missing entry is found at its place", async () => {
    const drop = (path: string, body: string) => {
      if (!path.startsWith("/api/changes") || path.includes("limit=1&")) return body;
      const page = JSON.parse(body) as { changes: Entry[] };
      return JSON.stringify({ ...page, changes: page.changes.filter(({ seq }) => seq !== 5) });
    };
    expect(await fault(drop)).toEqual({ code: 4, seq: 5, what: "order" });
  });
  test("a checkpoint that was not signed like that is refused", async () => {
    const { seq } = (await board.get<{ seq: number }>("/api/checkpoint")).body;
    const flip = (path: string, body: string) =>
      path === "/api/checkpoint" ? body.replace(/"sig":"(.)/, (_, first: string) => `"sig":"${first === "A" ? "B" : "A"}`) : body;
    expect(await fault(flip)).toEqual({ code: 4, seq, what: "checkpoint" });
  });
});

test("a client whose clock is wrong takes the board's, and its message is accepted", async () => {
  board.clock.advance(2 * HOUR_MS);
  expect(await asker.text("post", "note", "--body", "what time is it")).toMatch(/^created /);
});
