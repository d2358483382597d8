// Faults around client.py: in its arguments, in the connection, in the board, in the log.
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HOUR_MS } from "../../src/core/durations.ts";
import { bash } from "../support/code-blocks.ts";
import { TestBoard } from "../support/board.ts";
import { BusyBoard } from "../support/busy-board.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { emptyDirectory } from "../support/process.ts";
import { Proxy } from "../support/proxy.ts";
import { PythonAgent, runPython } from "../support/python.ts";
import { type Listed, type Posted, PythonPair } from "../support/python-pair.ts";
import { Random, SEED } from "../support/random.ts";

interface Refused {
  readonly error: { readonly code: string; readonly message: string; readonly hint: string; readonly docs: string };
}

let pair: PythonPair;
let board: TestBoard;
let asker: PythonAgent;
let worker: PythonAgent;
beforeAll(async () => {
  pair = await PythonPair.start();
  ({ board, asker, worker } = pair);
});
afterAll(() => pair[Symbol.asyncDispose]());

describe("every fault is reported, with its own exit code", () => {
  test("1: the board's code, message, hint and docs, for people and for programs", async () => {
    const { code, stdout, stderr } = await asker.run(["claim", "f".repeat(64)]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^target_unknown: .+\nhint: .+\ndocs: http:\/\/board\.test\/llms\/errors\/target_unknown\.txt\ndetails: \{/);
    const json = await asker.run(["claim", "f".repeat(64), "--json"]);
    const { error } = JSON.parse(json.stderr) as Refused;
    expect(error).toMatchObject({ code: "target_unknown", hint: expect.stringMatching(/./) as string });
  });
  test("1: input that cannot be used", async () => {
    const { code, stderr } = await asker.run(["post", "note", "--attach", "missing.txt"]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^missing\.txt cannot be attached: /)]);
  });
  test("1: a body that is not UTF-8", async () => {
    const latin = join(asker.home, "latin1.txt");
    writeFileSync(latin, Buffer.from("Grüße", "latin1"));
    const { code, stdout, stderr } = await asker.run(["post", "note", "--title", "Hello", "--body-file", latin]);
    expect([code, stdout, stderr]).toEqual([1, "", expect.stringContaining("latin1.txt")]);
  });
  test("1: a key that others can read is not used, and one that is there is not overwritten", async () => {
    using careless = new PythonAgent(board.url);
    const { stderr } = await careless.run(["whoami"]);
    // The suggested command can be typed as it is.
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
  test("1: an empty text from a pipe or a file is not posted as an answer", async () => {
    const { id } = await asker.json<Posted>("ask", "What is in the pipe?");
    const nothing = join(worker.home, "nothing.txt");
    writeFileSync(nothing, " \n");
    for (const [args, what] of [
      [["answer", id, "-"], "The standard input"],
      [["reply", id, "-", "--json"], "The standard input"],
      [["post", "note", "--title", "Hello", "--body-file", nothing], nothing],
    ] as const) {
      const { code, stdout, stderr } = await worker.run(args, { input: "\n" });
      expect([args, code, stdout, stderr]).toEqual([args, 1, "", expect.stringContaining(`${what} cannot be posted: it is empty.`)]);
    }
    expect((await board.record(id)).derived.status).toBe("open");
  });
  test("2: an empty word, which a shell makes, is refused by every command, and so is a number below one", async () => {
    const id = "0".repeat(64);
    const commands: readonly (readonly string[])[] = [
      ...["show", "thread", "claim", "release", "resolve", "retract", "attachment", "search", "similar", "ask", "task"].map((one) => [
        one,
        "",
      ]),
      ...["inbox", "agents", "tags", "brief", "watch --author", "list --kind", "ack --acted"].map((one) => [...one.split(" "), ""]),
      ...["claim", "lookup"].map((one) => ["alias", one, ""]),
      ...["answer", "reply", "verify", "supersede"].flatMap((one) => [
        [one, "", "text"],
        [one, id, ""],
      ]),
      ["report", "", "spam", "text"],
      ["post", "note", "--title", "Hello", "--to", ""],
      ["post", "note", "--title", "Hello", "--tag="],
    ];
    for (const args of commands) {
      const { code, stdout, stderr } = await worker.run(args);
      expect([args, code, stdout, stderr]).toEqual([
        args,
        2,
        "",
        expect.stringMatching(/^(The word after .+ is empty|--tag has an empty value).*\n$/),
      ]);
    }
    for (const args of [
      "list --limit 0",
      "work --limit -1",
      "watch --count 0",
      "tags --tries 0",
      "tags --timeout -1",
      "tags --timeout nan",
    ]) {
      const { code, stdout, stderr } = await worker.run(args.split(" "));
      expect([args, code, stdout, stderr]).toEqual([
        args,
        2,
        "",
        expect.stringMatching(/error: argument --[a-z]+: give a (?:whole )?number/),
      ]);
    }
  });
  test("in a program, an empty id is refused instead of being the address of a list", async () => {
    const script = "import client, sys; client.Board(sys.argv[1]).message('')";
    const { code, stderr } = await runPython(["-c", script, board.url]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/UsageError: An id, an agent or an alias is empty\.\n$/)]);
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
  const file = join(import.meta.dirname, "../../vectors/protocol/refusals.json");
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
      instead: ({ method, url = "" }, response) => {
        if (method !== "POST" || url.includes("dry_run") || refused++ > 0) return false;
        const error = { code: "overloaded", message: "Too much.", hint: "Wait.", docs: "" };
        response.writeHead(503, { "content-type": "application/json", "retry-after": "1" }).end(JSON.stringify({ error }));
        return true;
      },
    });
    const { code, stdout } = await asker.run(["post", "note", "--body", "patient"], { url: busy.url });
    expect([code, refused]).toEqual([0, 2]);
    expect(stdout).toMatch(/^created /);
  });
  test("429: it waits by the clock and not by tries, and not longer than it has patience", async () => {
    let refused = 0;
    await using crowded = await Proxy.start(() => board.url, {
      instead: (_, response) => {
        if (refused++ >= 4) return false;
        const error = { code: "rate_limited", message: "Too often.", hint: "Wait.", docs: "" };
        response.writeHead(429, { "content-type": "application/json", "retry-after": "0" }).end(JSON.stringify({ error }));
        return true;
      },
    });
    expect(await asker.run(["list", "--tries", "1"], { url: crowded.url })).toMatchObject({ code: 0 });
    expect(refused).toBe(5);
    refused = 0;
    const script =
      "import client, sys\ntry: client.Board(sys.argv[1], patience=0).time()\nexcept client.BoardError as error: print(error.code)";
    expect((await runPython(["-c", script, crowded.url])).stdout).toBe("rate_limited\n");
    expect(refused).toBe(1);
  });
  test("429 on a post: it does the extra work that is enough now, if that is faster than waiting for a day", async () => {
    let refused = 0;
    await using crowded = await Proxy.start(() => board.url, {
      instead: ({ method, url = "" }, response) => {
        if (method !== "POST" || url.includes("dry_run") || refused++ > 0) return false;
        const error = { code: "rate_limited", message: "Too often.", hint: "Wait.", docs: "", details: { bits_for_now: 12 } };
        response.writeHead(429, { "content-type": "application/json", "retry-after": "86400" }).end(JSON.stringify({ error }));
        return true;
      },
    });
    const script = [
      "import client, sys",
      "agent = client.Agent(client.Board(sys.argv[1], patience=1e6), client.Key.generate())",
      "print(agent.post('note', body='in a crowd')['id'])",
    ].join("\n");
    const { stdout, stderr } = await runPython(["-c", script, crowded.url]);
    expect([refused, stderr]).toEqual([2, ""]);
    const { body } = await board.get<{ server: { pow_bits: number } }>(`/api/messages/${stdout.trim()}`);
    expect(body.server.pow_bits).toBeGreaterThanOrEqual(12);
  });
  test("429 on a post for which the extra work is not found in time: the same envelope is sent again", async () => {
    let refused = 0;
    await using crowded = await Proxy.start(() => board.url, {
      instead: ({ method, url = "" }, response) => {
        if (method !== "POST" || url.includes("dry_run") || refused++ >= 2) return false;
        const error = { code: "rate_limited", message: "Too often.", hint: "Wait.", docs: "", details: { bits_for_now: 40 } };
        response.writeHead(429, { "content-type": "application/json", "retry-after": "0" }).end(JSON.stringify({ error }));
        return true;
      },
    });
    expect(await asker.run(["post", "note", "--body", "patient in a crowd"], { url: crowded.url })).toMatchObject({ code: 0 });
    expect(refused).toBe(3);
  });
  test("a post that the board would refuse is refused before mining, however much work it would take", async () => {
    await using dear = await TestBoard.start({ flags: ["--pow-bits", "60", "--pow-max-bits", "60"] });
    const refused = await asker.run(["claim", "f".repeat(64)], { url: dear.url });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/^target_unknown: /) as string });
    expect(await asker.run(["post", "opinion"], { url: dear.url })).toMatchObject({
      stderr: expect.stringMatching(/^unknown_kind: /) as string,
    });
  });
  test.each(["all", "half"] as const)(
    "an answer of which %s was lost on the way: the message is there once, and the client knows it",
    async (part) => {
      let lost = 0;
      const lose = ({ method, url = "" }: { method?: string | undefined; url?: string | undefined }) =>
        method === "POST" && !url.includes("dry_run") && lost++ === 0 ? part : undefined;
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
      change: (path, body) => (path.includes("dry_run") ? body.replace('"required_bits":4', '"required_bits":0') : body),
    });
    for (let i = 0; i < 4; i++) {
      const { code, stderr } = await asker.run(["post", "note", "--body", `harder ${i}`], { url: stale.url });
      expect([code, stderr]).toEqual([0, ""]);
    }
  });
});

describe(`verify-log (SEED=${SEED})`, () => {
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
  beforeAll(async () => {
    await new BusyBoard(board, new Random(SEED), 4).fill(20);
    await board.put(board.agent(), { kind: "note", body: "as it was" });
    const { id } = await asker.json("post", "note", "--body", "withdrawn");
    await asker.json("retract", id);
  });
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
  test("remembers the head it verified, and later refuses a log that is not consistent with it", async () => {
    const memory = join(asker.home, "head.json");
    expect((await verify(board.url, "--remember", memory)).code).toBe(0);
    await board.put(board.agent(), { kind: "note", body: "one more" });
    expect(JSON.parse((await verify(board.url, "--remember", memory)).stdout)).toMatchObject({ entries: 1 });
    const remembered = JSON.parse(readFileSync(memory, "utf8")) as { pk: string; seq: number; hash: string };
    writeFileSync(memory, JSON.stringify({ ...remembered, seq: remembered.seq - 1 }));
    const refused = await verify(board.url, "--remember", memory);
    expect([refused.code, JSON.parse(refused.stderr)]).toMatchObject([4, { error: { seq: remembered.seq, what: "prev" } }]);
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
    const target = (await entries()).findLast(({ raw }) => raw?.payload.includes("as it was"));
    expect(await fault(onChanges("as it was", "as it has"))).toEqual({ code: 4, seq: target?.seq, what: "digest" });
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
