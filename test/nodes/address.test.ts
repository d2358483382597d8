// The address of the database: parts from PostgreSQL's own variables, and clear errors for wrong ones.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Client } from "../../src/adapters/postgres/client.ts";
import { Agent, TEST_BITS } from "../support/agent.ts";
import { eventually } from "../support/eventually.ts";
import { postTo } from "../support/nodes.ts";
import { type PostgresServer, postgresServer } from "../support/postgres/server.ts";
import { BoardProcess, emptyDirectory } from "../support/process.ts";

const PASSWORD = "p/a@s:s?w#o%rd";
const FLAGS = ["serve", "--port", "0", "--smtp-port", "0", "--log-level", "silent"];
let server: PostgresServer;

beforeAll(async () => {
  server = await postgresServer();
  const client = new Client({ url: server.databaseUrl("postgres"), connections: 1, name: "test" });
  await client.script(`ALTER ROLE board PASSWORD '${PASSWORD}'`);
  writeFileSync(join(server.dir, "pg_hba.conf"), "local all all scram-sha-256\n");
  await client.script("SELECT pg_reload_conf()");
  await client.end();
  await eventually("a server that wants its password", async () => {
    const anybody = new Client({ url: server.databaseUrl("postgres"), connections: 1, name: "test" });
    try {
      await anybody.query("SELECT 1");
      return undefined;
    } catch {
      return true;
    } finally {
      await anybody.end();
    }
  });
});
afterAll(() => server.remove());

const spawn = (url: string, env: Record<string, string>) =>
  BoardProcess.spawn({
    args: [...FLAGS, "--data", emptyDirectory(), "--key-file", join(server.home, "board.key"), "--database-url", url],
    env,
  });

test("a password with any characters is taken from PGPASSWORD, and every part that the address leaves out from its variable", async () => {
  const env = { PGHOST: server.home, PGUSER: "board", PGPASSWORD: PASSWORD, PGDATABASE: "postgres" };
  for (const url of ["postgres://", server.databaseUrl("postgres")]) {
    await using board = spawn(url, env);
    await board.ready();
    expect((await fetch(`${board.url}/readyz`)).status).toBe(200);
    // The search index reads through its own connection, on its own thread.
    expect((await fetch(`${board.url}/api/messages?q=anything`)).status).toBe(200);
    expect((await board.kill("SIGTERM")).code).toBe(0);
  }
});

test("a password in ./.env is found by copy too, and so shows in no list of processes", async () => {
  const home = emptyDirectory();
  writeFileSync(join(home, ".env"), `PGPASSWORD='${PASSWORD}'\n`);
  const sqlite = join(home, "data");
  const made = BoardProcess.spawn({ args: [...FLAGS, "--pow-bits", String(TEST_BITS), "--data", sqlite], cwd: home });
  await made.ready();
  await postTo(made.url, new Agent().envelope({ kind: "note", title: "to be moved" }));
  await made.kill("SIGTERM");
  const url = server.databaseUrl("postgres").replace("board@", `board:${encodeURIComponent(PASSWORD)}@`);
  const client = new Client({ url, connections: 1, name: "test" });
  await client.script("CREATE DATABASE copied");
  await client.end();
  const args = ["copy", "--from", sqlite, "--to", server.databaseUrl("copied")];
  const { code, stdout, stderr } = await BoardProcess.spawn({ args, cwd: home }).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("Copied and verified");
});

test("the same password works in the address, percent-encoded", async () => {
  const url = server.databaseUrl("postgres").replace("board@", `board:${encodeURIComponent(PASSWORD)}@`);
  await using board = spawn(url, {});
  await board.ready();
});

test.for([
  ["a password that is not the right one", "postgres://", "password authentication failed"],
  ["a host that does not exist", "postgres://board@ss.invalid/board", "ss.invalid"],
] as const)("%s is told with the flag and how to write a password", async ([, url, words]) => {
  await using board = spawn(url, { PGHOST: server.home, PGUSER: "board", PGPASSWORD: "wrong", PGDATABASE: "postgres" });
  const { code, stderr } = await board.ended;
  expect(code).toBe(1);
  for (const one of [words, "Check its address (--database-url)", "percent-encoded", "PGPASSWORD"]) expect(stderr).toContain(one);
  expect(stderr).not.toMatch(/\bat .+:\d+:\d+/);
});
