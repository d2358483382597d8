// Files for operators that no build checks: they must name settings and figures that exist.
import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { withSettingsTable } from "../../docs/settings-table.ts";
import { SETTINGS } from "../../src/config.ts";
import { TestBoard } from "../support/board.ts";

const read = (path: string): string => readFileSync(resolve(import.meta.dirname, "../..", path), "utf8");
const VARIABLES = new Set<string>(Object.values(SETTINGS).map(({ variable }) => variable));

test.each(["Dockerfile", "compose.yaml"])("%s sets only what a board reads", (path) => {
  // BOARD_DOMAIN is only for compose, because the domain occurs several times there.
  const named = [...read(path).matchAll(/\bBOARD_[A-Z_]+/g)].map(([name]) => name).filter((name) => name !== "BOARD_DOMAIN");
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((name) => !VARIABLES.has(name))).toEqual([]);
});

test("docs/configuration.md has every setting as it is: npm run docs writes it", () => {
  const page = read("docs/configuration.md");
  expect(page).toContain("| `--access-log` |");
  expect(withSettingsTable(page)).toBe(page);
});

test("compose.yaml runs two boards over one database, one of which receives their mail, and the files it mounts exist", () => {
  interface Service {
    readonly environment?: Record<string, string>;
    readonly volumes?: string[];
    readonly ports?: string[];
    readonly logging?: { readonly options?: Record<string, string> };
    readonly networks?: unknown;
    readonly cap_drop?: string[];
    readonly security_opt?: string[];
  }
  const { services, volumes } = parse(read("compose.yaml"), { merge: true }) as { services: Record<string, Service>; volumes: object };
  const boards = Object.values(services).filter(({ environment }) => environment?.["BOARD_DATABASE_URL"] !== undefined);
  expect(new Set(boards.map(({ environment }) => environment?.["BOARD_DATABASE_URL"])).size).toBe(1);
  expect(boards.length).toBe(2);
  // Docker itself never deletes a log.
  for (const { logging } of Object.values(services)) expect(Object.keys(logging?.options ?? {})).toEqual(["max-size", "max-file"]);
  // For a password with any characters: in an address, some have a special meaning.
  for (const { environment } of boards) {
    expect(environment?.["BOARD_DATABASE_URL"]).not.toContain("$");
    expect(environment?.["PGPASSWORD"]).toMatch(/^\$\{POSTGRES_PASSWORD\b/);
  }
  // A fault in the board must not give access to the database server, and Docker's gateway must not be trusted as a proxy.
  const { postgres, proxy } = services;
  expect(postgres?.environment).toEqual({ POSTGRES_PASSWORD: "${POSTGRES_PASSWORD}" });
  expect(postgres?.volumes).toContain("./deploy/postgres.sql:/docker-entrypoint-initdb.d/blackboard.sql:ro");
  const address = (proxy?.networks as { readonly inside?: { readonly ipv4_address?: string } } | undefined)?.inside?.ipv4_address;
  for (const { environment, cap_drop: dropped, security_opt: secured } of boards) {
    expect(environment?.["BOARD_TRUSTED_PROXIES"]).toBe(address);
    expect([dropped, secured]).toEqual([["ALL"], ["no-new-privileges:true"]]);
  }
  // An address in a mail domain is useful only if mail servers reach a board.
  const port = SETTINGS.smtpPort.otherwise;
  expect(boards.every(({ environment }) => environment?.["BOARD_MAIL_DOMAIN"] === "${BOARD_DOMAIN}")).toBe(true);
  expect(boards.flatMap(({ ports = [] }) => ports)).toEqual([`0.0.0.0:25:${port}`]);
  for (const source of Object.values(services)
    .flatMap((service) => service.volumes ?? [])
    .map((mount) => mount.split(":")[0] ?? "")) {
    if (source.startsWith("./")) expect(globSync(resolve(import.meta.dirname, "../..", source))).toHaveLength(1);
    else expect(Object.keys(volumes)).toContain(source);
  }
});

test("every figure of the dashboard and of the alert rules is served at /metrics", async () => {
  await using board = await TestBoard.start();
  await board.put(board.agent(), { kind: "note", body: "counted" });
  const { body } = await board.get<string>("/metrics");
  // Only a board with a replica has this one.
  const served = new Set(["blackboard_replica_up", ...[...body.matchAll(/^# TYPE (\S+)/gm)].map(([, name = ""]) => name)]);
  const figures = (text: string): string[] =>
    [...text.matchAll(/\b((?:blackboard|nodejs|process)_\w+?)(?:_bucket|_sum|_count)?(?=[{[ )]|$)/gm)].map(([, name = ""]) => name);
  const dashboard = [...read("deploy/grafana-dashboard.json").matchAll(/"expr": "(.*)"/g)].map(([, expr = ""]) => expr);
  const { groups } = parse(read("deploy/alerts.yml")) as { groups: { rules: { alert: string; expr: string }[] }[] };
  const alerts = groups.flatMap(({ rules }) => rules.map(({ expr }) => expr));
  for (const asked of [dashboard, alerts].map((all) => all.flatMap(figures))) {
    expect(asked.length).toBeGreaterThan(5);
    expect(asked.filter((name) => !served.has(name))).toEqual([]);
  }
  for (const name of ["blackboard_writable", "blackboard_reports_open"]) expect(dashboard.join("\n")).toContain(name);
});
