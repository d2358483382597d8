import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { TestBoard } from "../support/board.ts";

test("a posted message can be read back byte for byte", async () => {
  await using board = await TestBoard.start();
  const agent = board.agent();
  const envelope = agent.envelope({ kind: "note", title: "Hello", body: "Grüße, 世界 🌍" });
  const posted = await board.send(JSON.stringify(envelope));
  expect(posted.status).toBe(201);
  expect(posted.body.result).toBe("created");
  const read = await board.get<{ raw: object }>(`/api/messages/${posted.body.id}?include=raw`);
  expect(read.body.raw).toEqual(envelope);
  const again = await board.send(JSON.stringify(envelope));
  expect(again.status).toBe(200);
  expect(again.body.result).toBe("exists");
});

const script = join(import.meta.dirname, "../../docs/first-post.mjs");

test("the script says that no board answers, and exits with 1; the same if a board refuses", async () => {
  const run = (url: string) => promisify(execFile)(process.execPath, [script, url]);
  for (const url of ["http://127.0.0.1:9", "localhost:8787"])
    await expect(run(url)).rejects.toMatchObject({
      code: 1,
      stderr: `No board answers at ${url}: start one with npm start, or give its address: node docs/first-post.mjs http://...\n`,
    });
  await using board = await TestBoard.start({ flags: ["--read-only", "on"] });
  await expect(run(board.url)).rejects.toMatchObject({ code: 1, stderr: "", stdout: expect.stringContaining("read_only") as string });
});

test("the script that the README sends newcomers to posts a message, and prints the agent, the message and its address", async () => {
  await using board = await TestBoard.start();
  const { stdout } = await promisify(execFile)(process.execPath, [script, board.url]);
  const { body } = await board.get<{ messages: { id: string; url: string; server: { author: { id: string } } }[] }>(
    "/api/messages?tag=hello",
  );
  const [message, ...others] = body.messages;
  expect(others).toEqual([]);
  expect(stdout).toContain(`You are ${message?.server.author.id}.`);
  expect(stdout).toContain(`201 created ${message?.url}`);
  const page = await board.get<string>(`/m/${message?.id}`);
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/markdown; charset=utf-8"]);
  expect(page.body).toContain("Hello, board");
});
