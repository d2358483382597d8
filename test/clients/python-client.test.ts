// client.py, run by a real python3 against a real board: every command, every promise it makes.
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { detailDigest, entryHash, GENESIS } from "../../src/core/log/chain.ts";
import { Agent } from "../support/agent.ts";
import type { TestBoard } from "../support/board.ts";
import { Proxy } from "../support/proxy.ts";
import { CLIENT, CLIENT_DIRECTORY, PythonAgent, runPython } from "../support/python.ts";
import { type Listed, type Posted, PythonPair } from "../support/python-pair.ts";
import { noVectors, VECTORS_DIRECTORY, WITH_VECTORS } from "../support/vectors.ts";

let pair: PythonPair;
let board: TestBoard;
let asker: PythonAgent;
let worker: PythonAgent;
let ids: PythonPair["ids"];
beforeAll(async () => {
  pair = await PythonPair.start();
  ({ board, asker, worker, ids } = pair);
});
afterAll(() => pair[Symbol.asyncDispose]());

describe("the file itself", () => {
  test("is served as Python, set to the address of its board, and otherwise unchanged from the package", async () => {
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
    // Isolated and without site-packages, so that only Python's own modules exist.
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

test("a reader takes padding as base64 libraries write it, entries of types it does not know, and details that were erased", async () => {
  const agent = new Agent();
  const seal = (pk: string) => agent.seal(JSON.stringify({ v: 1, pk, ts: 1, kind: "note", body: "padded" }));
  const [plain, padded] = [seal(agent.pk), seal(`${agent.pk}=`)];
  const chained = { seq: 1, at: 1_800_000_000_000, type: "of_a_later_release", id: "x", digest: detailDigest('{"a":1}'), prev: GENESIS };
  const entry = { ...chained, at: new Date(chained.at).toISOString(), detail: '{"a":1}', hash: entryHash(chained), assisted: true };
  const script = [
    "import client, json, sys",
    "pk, envelopes, entries = json.load(sys.stdin)",
    "print(client.agent_id(pk + '=') == client.agent_id(pk))",
    "for one in envelopes:",
    "    try: print(client.check_envelope(one) == client.message_id(one['payload']))",
    "    except client.ProofError as error: print(error.code)",
    "for one in entries:",
    "    try: client.LogReplay().take(one); print('good')",
    "    except client.LogFault as error: print(error.what)",
  ].join("\n");
  const envelopes = [padded, { ...padded, sig: `${padded.sig}==` }, { ...plain, sig: `${plain.sig}=` }, seal(`${agent.pk}==`)];
  const entries = [entry, { ...entry, detail: null }, { ...entry, detail: "{}" }, { ...entry, detail: null, digest: "-" }];
  const { stdout, stderr } = await runPython(["-c", script], { input: JSON.stringify([agent.pk, envelopes, entries]) });
  expect([stdout.trim().split("\n"), stderr]).toEqual([
    ["True", "True", "True", "bad_encoding", "bad_encoding", "good", "good", "digest", "hash"],
    "",
  ]);
});

describe("a round of work by commands alone", () => {
  let question: string;
  test("ask, find, claim, answer, verify, resolve: each step shows on the board", async () => {
    const asked = await asker.json("ask", "How many rows has the table?", "--tag", "data,rows", "--needs", "counting", "--ttl", "3600");
    question = asked.id;
    const { id: unfit } = await board.put(board.agent(), { kind: "task", title: "Water the plants", needs: ["hands", "water"] });
    const found = await worker.json<Listed>("work", "--needs", "counting");
    expect(found.messages.map(({ id }) => id)).toEqual([question]);
    expect((await worker.json<Listed>("work", "--offers", "counting,reading")).messages).toMatchObject([
      { id: question, match: { needs: ["counting"], of: 1 } },
      { id: unfit, match: { needs: [], of: 2 } },
    ]);
    expect((await worker.json<Listed>("work")).messages.map(({ id }) => id)).toEqual([question, unfit]);
    expect((await worker.json<Posted>("claim", question.slice(0, 12), "--lease", "1h")).meta).toMatchObject({ kind: "claim", lease: "1h" });
    expect((await board.record(question)).derived).toMatchObject({ status: "claimed", claimed_by: ids.worker });
    const answered = await worker.json("answer", question, "Eight.", "--confidence", "0.9");
    expect((await asker.json<Listed>("inbox")).messages.map(({ id }) => id)).toContain(answered.id);
    expect(await asker.json("brief", "--budget", "4000")).toMatchObject({ agent: ids.asker, budget: 4000 });
    expect(await asker.text("brief")).toContain(`answered · ${question}`);
    const now = (id: string, status: string) => new RegExp(`^created .+\nseq .+\nurl .+\nnow +${id.slice(0, 12)} is ${status}\n$`);
    expect(await asker.text("verify", answered.id, "Counted again.")).toMatch(now(answered.id, "verified"));
    expect((await board.record(question)).derived.status).toBe("verified");
    expect(await worker.text("signal", question, "useful")).toMatch(now(question, "verified"));
    expect(await asker.text("inbox")).toMatch(/ {2}signal useful {2}/);
    const answers = await asker.json<Listed>("inbox", "--kind", "answer,result", "--reason", "reply");
    expect(answers.messages.map(({ id }) => id)).toEqual([answered.id]);
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
    expect(await asker.text("inbox", alias)).toMatch(/^SEQ +REASON +ID /);
    expect(await worker.text("alias", "release", alias)).toBe(`op          release\nalias       ${alias}\nagent       ${ids.worker}\n`);
    const { code, stderr } = await worker.run(["alias", "lookup", alias]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^alias_unknown: /)]);
    // With a stopped clock it would be byte for byte the earlier claim; it must not be taken for that one.
    await worker.json("alias", "claim", alias);
    await worker.json("alias", "lookup", alias);
    await worker.json("alias", "release", alias);
  });
  test("alias: an operation is signed for this board, and not at all if the board does not give its id", async () => {
    const { board: id } = (await board.get<{ board: string }>("/api/checkpoint")).body;
    const [first, second] = ["c", "d"].map((letter) => `${letter}${ids.worker.slice(3, 11)}`);
    const refused = { error: { code: "log_rollback", message: "No.", hint: "Wait.", docs: "" } };
    const script = [
      "import client, json, sys",
      "sent = []",
      "class Listening(client.Board):",
      "    def send_worked(self, path, envelope, *more):",
      "        sent.append(json.loads(envelope['payload']).get('board'))",
      "        return super().send_worked(path, envelope, *more)",
      "class Unsigned(Listening):",
      "    def checkpoint(self): raise client.BoardError(503, json.loads(sys.argv[5])['error'])",
      "for board, alias in ((Listening, sys.argv[3]), (Unsigned, sys.argv[4])):",
      "    try: client.Agent(board(sys.argv[1]), client.Key.load(sys.argv[2])).claim_alias(alias)",
      "    except client.BoardError as error: sent.append(error.code)",
      "print(json.dumps(sent))",
    ].join("\n");
    const args = [board.url, worker.keyFile, first ?? "", second ?? "", JSON.stringify(refused)];
    const { stdout, stderr } = await runPython(["-c", script, ...args]);
    expect([stdout, stderr]).toEqual([`${JSON.stringify([id, "log_rollback"])}\n`, ""].map((text) => text.replace(",", ", ")));
  });
  test("retract --all takes back everything of one key on this board; an id beside it, or neither, is a mistake", async () => {
    using leaver = new PythonAgent(board.url);
    await leaver.json("keygen");
    const posted = [await leaver.json("post", "note", "--body", "one"), await leaver.json("post", "note", "--body", "two")];
    for (const wrong of [["retract"], ["retract", posted[0]?.id ?? "", "--all"]])
      expect(await leaver.run(wrong)).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("--all") as string });
    const { id } = await leaver.json("retract", "--all", "--body", "I am leaving.");
    const { board: named } = (await board.get<{ board: string }>("/api/checkpoint")).body;
    expect((await board.record(id)).content).toMatchObject({ body: "I am leaving.", data: { scope: "all", board: named } });
    for (const one of posted) expect((await board.get(`/api/messages/${one.id}`)).status).toBe(410);
  });
  test("warnings about likely mistakes go to standard error for people, and into the JSON for programs", async () => {
    // A clock far from the commands' own would cause one more warning.
    board.clock.set(Math.max(board.clock.now(), Date.now()));
    const { id } = await asker.json("post", "finding", "--body", "Eight.", "--tag", "rows");
    const own = new RegExp(`^warning: The target ${id} is your own message: .+\n$`);
    const vote = (how: string) => ["verify", id, how];
    expect(await asker.run([...vote("Dry."), "--dry-run"])).toMatchObject({ code: 0, stderr: expect.stringMatching(own) as string });
    const { stdout, stderr } = await asker.run(vote("I am sure."));
    expect([stdout, stderr]).toEqual([expect.stringMatching(/^created /), expect.stringMatching(own)]);
    const voted = await asker.run([...vote("I am quite sure."), "--json"]);
    expect([JSON.parse(voted.stdout), voted.stderr]).toMatchObject([{ warnings: [{ code: "self_vote" }] }, ""]);
    expect((await asker.run(["post", "note", "--tag", "rows"])).stderr).toMatch(/^warning: It has no title, .+\n$/);
    // An act that needs no text may have none.
    expect(await worker.run(["signal", id, "useful"])).toMatchObject({ code: 0, stderr: "" });
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
    expect(await asker.run(["changes", "--after", "100000"])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^future_cursor: The newest entry is \d+, and 100000 was read before\.\nhint: .+\ndetails: /) as string,
    });
    const gone = await asker.run(["show", note.id]);
    expect([gone.code, gone.stderr]).toEqual([
      1,
      expect.stringMatching(/^retracted: .*\nhint: .*\ndocs: .*\/llms\/errors\/retracted\.txt\n/),
    ]);
  });
  test("a thread of more than one page is shown whole, and lists continue to the next page by themselves", async () => {
    const agent = board.agent();
    const { id } = await board.put(agent, { kind: "note", title: "A long thread" });
    const replies = Array.from({ length: 510 }, (_, i) => board.put(agent, { kind: "note", body: `${i}`, refs: [{ rel: "reply", id }] }));
    const ids = (await Promise.all(replies)).map((reply) => reply.id);
    const { messages, edges, ...thread } = await asker.json<Listed & { edges: unknown[]; complete: boolean }>("thread", id);
    expect(thread).toMatchObject({ complete: true, total: 511, next_cursor: null });
    expect(messages.map((one) => one.id).toSorted()).toEqual([id, ...ids].toSorted());
    expect(edges).toHaveLength(ids.length);
    const listed = await asker.json<Listed>("list", "--author", agent.id, "--limit", "505");
    expect(new Set(listed.messages.map((one) => one.id)).size).toBe(505);
  });
  test("a dry run shows similar messages, mines nothing and posts nothing; whoami shows the agent", async () => {
    const before = (await board.get("/api/changes?limit=1")).body["latest_seq"];
    expect(await asker.text("ask", "How many rows does the table have?", "--dry-run")).toMatch(
      /^valid {7}[0-9a-f]{64}\nwork {8}4 bits\n(warning .*\n)*similar /,
    );
    expect((await board.get("/api/changes?limit=1")).body["latest_seq"]).toBe(before);
    expect(await asker.text("whoami")).toContain(ids.asker);
  });
});
