// `blackboard mcp`: the same tools over stdio, for clients that start their servers, with a key that never leaves this machine.
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ErrorBody } from "../../src/core/errors.ts";
import { sha256 } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { programPath } from "../support/built.ts";
import { eventually } from "../support/eventually.ts";
import { ERAS, McpClient } from "../support/mcp-client.ts";
import { BoardProcess, emptyDirectory } from "../support/process.ts";
import { Proxy } from "../support/proxy.ts";

const PACKAGE = JSON.parse(readFileSync(resolve(import.meta.dirname, "../../package.json"), "utf8")) as { version: string };

let board: TestBoard;
beforeAll(async () => void (board = await TestBoard.start()));
afterAll(() => board[Symbol.asyncDispose]());

const errorOf = (body: Record<string, unknown>) => (body as unknown as ErrorBody).error;

describe.each(ERAS)("in the era of %s", (era) => {
  const keyFile = join(emptyDirectory(), "keys", "agent.key");
  let mcp: McpClient;
  beforeAll(async () => {
    mcp = new McpClient(era);
    const args = [programPath(), "mcp", "--url", board.url, "--key-file", keyFile];
    await mcp.client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }));
  });
  afterAll(() => mcp[Symbol.asyncDispose]());

  test("the key is made at the first start, readable by its owner only", async () => {
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    const { agent_id: id, pk } = await mcp.done("create_identity");
    expect(id).toMatch(/^ag_[0-9a-f]{20}$/);
    expect(JSON.stringify(await mcp.call("create_identity"))).not.toContain(readFileSync(keyFile, "utf8").trim());
    expect(pk).toMatch(/^[\w-]{43}$/);
  });

  test("the tools are those of the board, but none asks for a key", async () => {
    await using http = await McpClient.connect(board.url, era);
    const names = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);
    expect(await names(mcp.client)).toEqual(await names(http.client));
    const { tools } = await mcp.client.listTools();
    expect(JSON.stringify(tools)).not.toContain("secret_key");
    expect(JSON.stringify(tools).length / 3.5).toBeLessThan(3500);
    expect(mcp.client.getNegotiatedProtocolVersion()).toBe(era);
    expect(mcp.client.getServerVersion()).toMatchObject({ name: "agent-blackboard", version: PACKAGE.version });
  });

  test("an agent posts, waits, reads its inbox and holds a name, all signed here", async () => {
    const { agent_id: self } = await mcp.done("create_identity");
    const text = "attached";
    const attachments = [{ sha256: sha256(text), name: "a.txt", mime: "text/plain", size: text.length }];
    const question = { kind: "question", title: `Who is there? ${era}`, tags: [era], attachments, blobs: { [sha256(text)]: text } };
    const posted = (await mcp.done("post_message", question)) as { id: string; seq: number };
    expect(posted).toMatchObject({ result: "created", server: { assisted: false, author: { delegated_by: self } }, meta: { attachments } });
    const waiting = mcp.done("wait_for_messages", { after_seq: posted.seq, wait: 20, filters: { inbox: self } });
    const reply = await board.put(board.agent(), { kind: "answer", body: "I am.", refs: [{ rel: "answers", id: posted.id }] });
    expect((await waiting)["messages"]).toMatchObject([{ id: reply.id }]);
    expect((await mcp.done("read_inbox"))["messages"]).toMatchObject([
      { id: posted.id, reason: "status", change: { from: "open", to: "answered" } },
      { id: reply.id, reason: "reply" },
    ]);
    expect((await mcp.call("get_thread", { id: posted.id })).text).toContain("<<<DATA ");
    expect((await mcp.done("search_messages", { tag: [era], limit: 1 }))["messages"]).toMatchObject([{ id: posted.id }]);
    const alias = `home-${era.slice(0, 4)}`;
    expect(await mcp.done("alias", { op: "claim", alias })).toMatchObject({ alias, agent: self });
    expect(await mcp.done("alias", { alias })).toMatchObject({ agent: self });
    expect((await mcp.call("board_guide", { topic: "manual" })).text).toContain("err-already_claimed");
    const { contents } = await mcp.client.readResource({ uri: `blackboard://messages/${posted.id}` });
    expect(JSON.stringify(contents)).toContain("Who is there?");
    expect(JSON.parse((await mcp.client.readResource({ uri: "blackboard://kinds" })).contents[0]?.["text" as never] ?? "")).toHaveProperty(
      "rels",
    );
    await expect(mcp.client.readResource({ uri: "blackboard://messages/00000000" })).rejects.toThrow();
  });

  test("short forms are written out here: prefixes of ids, aliases, texts to attach", async () => {
    const { agent_id: self } = await mcp.done("create_identity");
    const alias = `short-${era.slice(0, 4)}`;
    await mcp.done("alias", { op: "claim", alias });
    const { id } = await board.put(board.agent(), { kind: "task", title: `Plot the csv ${era}` });
    const text = "a,b\n1,2\n";
    const posted = await mcp.done("post_message", {
      kind: "result",
      to: alias,
      refs: [{ rel: "answers", id: id.slice(0, 12) }],
      attachments: [{ name: "t.csv", mime: "text/csv", text }],
    });
    const attachments = [{ sha256: sha256(text), name: "t.csv", mime: "text/csv", size: 8 }];
    expect(posted["meta"]).toMatchObject({ to: self, refs: [{ rel: "answers", id }], attachments });
    expect(await (await fetch(`${board.url}/api/blobs/${sha256(text)}`)).text()).toBe(text);
    const code = async (given: Record<string, unknown>) => errorOf((await mcp.call("post_message", { kind: "note", ...given })).body).code;
    expect(await code({ refs: [{ rel: "reply", id: "0123456789ab" }] })).toBe("target_unknown");
    expect(await code({ to: "nobody-here" })).toBe("alias_unknown");
    expect(await code({ to: "ag_1" })).toBe("invalid_field");
  });

  test("a refusal is the board's own, and one that never reached the board has the same form", async () => {
    const http = await board.get<ErrorBody>("/api/messages/00000000ffff");
    expect((await mcp.call("get_message", { id: "00000000ffff" })).body).toEqual(http.body);
    const code = async (name: string, given: Record<string, unknown>) => errorOf((await mcp.call(name, given)).body).code;
    expect(await code("post_message", { kind: "nonsense" })).toBe("unknown_kind");
    expect(await code("post_message", { kind: "note", title: "a", colour: "red" })).toBe("unknown_parameter");
    expect(await code("post_message", { kind: "note", attachments: 7 })).toBe("invalid_field");
    expect(await code("search_messages", { limit: {} })).toBe("invalid_parameter");
    expect(await code("get_message", {})).toBe("invalid_parameter");
    expect(await code("get_message", { id: "../../etc/passwd" })).toBe("not_found");
    expect(await code("alias", { op: "claim", alias: 7 })).toBe("invalid_alias");
  });
});

test("a post that the board refuses is refused before it is mined, however much work it would take", async () => {
  await using dear = await TestBoard.start({ flags: ["--pow-bits", "60", "--pow-max-bits", "60"] });
  await using mcp = new McpClient("2025-11-25");
  const args = [programPath(), "mcp", "--url", dear.url, "--key-file", join(emptyDirectory(), "agent.key")];
  await mcp.client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }));
  const code = async (message: Record<string, unknown>) => errorOf((await mcp.call("post_message", message)).body).code;
  expect(await code({ kind: "claim", refs: [{ rel: "claims", id: "f".repeat(64) }] })).toBe("target_unknown");
  expect(await code({ kind: "opinion", body: "I think so." })).toBe("unknown_kind");
});

test("it asks the board nothing until it is asked for something; without a board it says so, and works once the board answers", async () => {
  let isUp = false;
  const asked: string[] = [];
  await using gate = await Proxy.start(() => board.url, {
    lose: ({ url = "" }) => {
      asked.push(url);
      return isUp ? undefined : "all";
    },
  });
  await using mcp = new McpClient("2026-07-28");
  const args = [programPath(), "mcp", "--url", gate.url, "--key-file", join(emptyDirectory(), "a.key"), "--tries", "1"];
  await mcp.client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }));
  expect(asked).toEqual([]);
  await expect(mcp.client.listTools()).rejects.toThrow(gate.url);
  const { text, isError } = await mcp.call("search_messages");
  expect([isError, text]).toEqual([true, expect.stringContaining(gate.url)]);
  isUp = true;
  expect(await mcp.done("search_messages")).toHaveProperty("messages");
  expect((await mcp.client.listTools()).tools).not.toEqual([]);
});

test("if others can read the key, it says so and ends", async () => {
  const open = join(emptyDirectory(), "open.key");
  mkdirSync(join(open, ".."), { recursive: true });
  writeFileSync(open, "A".repeat(43), { mode: 0o644 });
  await using bridge = BoardProcess.spawn({ args: ["mcp", "--url", board.url, "--key-file", open] });
  const ended = await bridge.ended;
  expect(ended.code).toBe(1);
  expect(ended.stderr).toContain("chmod 600");
});

describe("the key of a model", () => {
  const connected = async (keyFile: string, ...more: readonly string[]) => {
    const mcp = new McpClient("2025-11-25");
    const args = [programPath(), "mcp", "--url", board.url, "--key-file", keyFile, ...more];
    await mcp.client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }));
    return mcp;
  };
  interface Authored {
    readonly id: string;
    readonly server: { readonly author: { readonly id: string; readonly delegated_by?: string } };
  }
  const posted = async (mcp: McpClient, title: string) => (await mcp.done("post_message", { kind: "note", title })) as unknown as Authored;
  const refused = async (mcp: McpClient, title: string) => errorOf((await mcp.call("post_message", { kind: "note", title })).body);

  test("a key that the main one delegates to, renewed by the bridge; if that is impossible, the answer says so", async () => {
    const keyFile = join(emptyDirectory(), "agent.key");
    await using mcp = await connected(keyFile);
    const { agent_id: main } = await mcp.done("create_identity");
    const first = await posted(mcp, "by a child");
    expect(first.server.author).toMatchObject({ delegated_by: main });
    expect(first.server.author.id).not.toBe(main);
    // The main key has also committed to the next one.
    const next = await eventually("it is committed", async () => {
      const { body: line } = await board.get<{ next: string | null }>(`/api/agents/${String(main)}/keys`);
      return line.next ?? undefined;
    });
    expect(next).toMatch(/^[0-9a-f]{64}$/);
    const task = await board.put(board.agent(), { kind: "task", title: "for the bridge alone", needs: ["bridging"] });
    expect(await mcp.done("take_work", { needs: "bridging", wait: 1 })).toMatchObject({
      work: { id: task.id, derived: { claimed_by: first.server.author.id } },
    });
    expect(await mcp.done("take_work", { needs: "bridging", wait: 0 })).toMatchObject({ work: null, held: [{ id: task.id }] });
    // The same child after a restart, even if its time was over meanwhile.
    board.clock.advance(25 * 3_600_000);
    expect((await posted(mcp, "renewed")).server.author.id).toBe(first.server.author.id);
    await using again = await connected(keyFile);
    expect((await posted(again, "another start")).server.author.id).toBe(first.server.author.id);

    const away = `${keyFile}.away`;
    renameSync(keyFile, away);
    expect((await posted(mcp, "without the main key")).server.author).toMatchObject({ delegated_by: main });
    board.clock.advance(25 * 3_600_000);
    const { code, message, hint } = await refused(mcp, "lapsed");
    expect([code, message]).toEqual(["outside_delegation", expect.stringContaining("expired at") as string]);
    expect(hint).toContain("Tell your operator");
    renameSync(away, keyFile);
    expect((await posted(mcp, "and back")).server.author).toMatchObject({ delegated_by: main });
  });

  test("an ended delegation stays ended; a rotated key says so; --own-key signs itself", async () => {
    const keyFile = join(emptyDirectory(), "agent.key");
    await using mcp = await connected(keyFile);
    const { agent_id: main } = await mcp.done("create_identity");
    const { server } = await posted(mcp, "before");
    const cli = async (...args: readonly string[]) => {
      await using command = BoardProcess.spawn({ args: [...args, "--url", board.url] });
      const ended = await command.ended;
      expect(ended).toMatchObject({ code: 0, stderr: "" });
    };
    await cli("key", "undelegate", server.author.id, "--key-file", keyFile);
    expect(await refused(mcp, "after")).toMatchObject({
      code: "outside_delegation",
      message: expect.stringContaining("was ended at") as string,
    });
    await using own = await connected(keyFile, "--own-key");
    expect((await posted(own, "by itself")).server.author).toMatchObject({ id: main });
    await cli("key", "rotate", String(main), "--key-file", `${keyFile}.next`);
    rmSync(`${keyFile}.mcp`);
    await using late = await connected(keyFile);
    expect(await refused(late, "rotated")).toMatchObject({ code: "key_revoked" });
  });

  test("a main key that is rotated while the bridge runs: the model learns what happened, and what to tell its user", async () => {
    const keyFile = join(emptyDirectory(), "agent.key");
    await using mcp = await connected(keyFile);
    await using own = await connected(keyFile, "--own-key");
    const { agent_id: main } = await mcp.done("create_identity");
    await posted(mcp, "before");
    await eventually("it is committed", async () => {
      const { body: line } = await board.get<{ next: string | null }>(`/api/agents/${String(main)}/keys`);
      return line.next ?? undefined;
    });
    const rotate = ["key", "rotate", String(main), "--key-file", `${keyFile}.next`, "--url", board.url, "--json"];
    await using command = BoardProcess.spawn({ args: rotate });
    const { signer } = JSON.parse((await command.ended).stdout) as { signer: string };
    const words = {
      code: "key_revoked",
      message: expect.stringContaining(
        `The main key of this program, ${String(main)}, was rotated: ${signer} acts for that agent now.`,
      ) as string,
      hint: expect.stringContaining("tell your operator: restart `blackboard mcp` with --key-file") as string,
      details: { successor: signer },
    };
    for (const bridge of [mcp, own]) {
      expect(await refused(bridge, "after")).toMatchObject(words);
      expect(errorOf((await bridge.call("post_message", { kind: "note", title: "only checked", dry_run: true })).body)).toMatchObject(
        words,
      );
      expect(errorOf((await bridge.call("acknowledge", { seen: 1 })).body)).toMatchObject(words);
      expect(errorOf((await bridge.call("alias", { op: "claim", alias: "too-late" })).body)).toMatchObject(words);
    }
    // Reading still works.
    await mcp.done("read_inbox", {});
  });
});
