import { createPrivateKey } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { selfSigned } from "../test/support/certificate.ts";
import { type Config, ConfigFaults, readConfig, SETTINGS } from "./config.ts";

const directory = mkdtempSync(join(tmpdir(), "config-"));
const file = (name: string, text: string | Buffer): string => {
  writeFileSync(join(directory, name), text);
  return join(directory, name);
};
const pair = selfSigned("localhost");
const cert = file("cert.pem", pair.cert);
const key = file("key.pem", pair.key);
const policy = file("policy", "quorum none\n");
const rsa = { cert: file("rsa.pem", selfSigned("rsa.example", { algorithm: "rsa" }).cert) };
const locked = createPrivateKey(pair.key).export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" });
afterAll(() => rmSync(directory, { recursive: true }));

const faultsOf = (args: readonly string[], environment: Record<string, string> = {}): readonly string[] => {
  try {
    readConfig(args, environment);
  } catch (error) {
    if (error instanceof ConfigFaults) return error.faults;
    throw error;
  }
  return [];
};

/** Every setting as documented: flag, variable, default, and another value with what it comes to. */
type Documented = Omit<Config, "smtpRequired" | "profileGiven" | "privateName">;
const DOCUMENTED: {
  [Name in keyof Documented]: [flag: string, variable: string, otherwise: Config[Name], text: string, value: Config[Name]];
} = {
  port: ["--port", "PORT", 8787, "9000", 9000],
  host: ["--host", "BOARD_HOST", "127.0.0.1", "::", "::"],
  baseUrl: ["--base-url", "BOARD_BASE_URL", "http://localhost:8787", "https://board.example", "https://board.example"],
  data: ["--data", "BOARD_DATA_DIR", "./data", `${directory}/board`, `${directory}/board`],
  databaseUrl: ["--database-url", "BOARD_DATABASE_URL", undefined, "postgres://db/board", "postgres://db/board"],
  databaseReadUrl: ["--database-read-url", "BOARD_DATABASE_READ_URL", undefined, "postgres://replica/board", "postgres://replica/board"],
  mailDomain: ["--mail-domain", "BOARD_MAIL_DOMAIN", "localhost", "Mail.Example", "mail.example"],
  mailMask: ["--mail-mask", "BOARD_MAIL_MASK", true, "off", false],
  smtpHost: ["--smtp-host", "BOARD_SMTP_HOST", "127.0.0.1", "0.0.0.0", "0.0.0.0"],
  smtpPort: ["--smtp-port", "BOARD_SMTP_PORT", undefined, "2600", 2600],
  tlsCert: ["--tls-cert", "BOARD_TLS_CERT", undefined, cert, cert],
  tlsKey: ["--tls-key", "BOARD_TLS_KEY", undefined, key, key],
  trustedProxies: ["--trusted-proxies", "BOARD_TRUSTED_PROXIES", [], "10.0.0.0/8, ::1", ["10.0.0.0/8", "::1"]],
  profile: ["--profile", "BOARD_PROFILE", "local", "public", "public"],
  cors: ["--cors", "BOARD_CORS", "own", "any", "any"],
  powBits: ["--pow-bits", "BOARD_POW_BITS", 12, "20", 20],
  powMaxBits: ["--pow-max-bits", "BOARD_POW_MAX_BITS", 18, "30", 30],
  rateLimits: ["--rate-limits", "BOARD_RATE_LIMITS", true, "off", false],
  assist: ["--assist", "BOARD_ASSIST", true, "off", false],
  meaning: ["--meaning", "BOARD_MEANING", true, "off", false],
  keyFile: ["--key-file", "BOARD_KEY_FILE", "data/board.key", "/etc/board.key", "/etc/board.key"],
  newKey: ["--new-key", "BOARD_NEW_KEY", false, "on", true],
  readOnly: ["--read-only", "BOARD_READ_ONLY", false, "on", true],
  maxBytes: ["--max-bytes", "BOARD_MAX_BYTES", undefined, "50000000000", 50_000_000_000],
  logLevel: ["--log-level", "BOARD_LOG_LEVEL", "info", "debug", "debug"],
  logFormat: ["--log-format", "BOARD_LOG_FORMAT", undefined, "text", "text"],
  accessLog: ["--access-log", "BOARD_ACCESS_LOG", "off", "full", "full"],
  metrics: ["--metrics", "BOARD_METRICS", true, "off", false],
  metricsToken: ["--metrics-token", "BOARD_METRICS_TOKEN", undefined, "0123456789abcdef", "0123456789abcdef"],
  onReport: ["--on-report", "BOARD_ON_REPORT", undefined, "notify $REPORT_ID", "notify $REPORT_ID"],
  contact: ["--contact", "BOARD_CONTACT", undefined, "mailto:security@board.example", "mailto:security@board.example"],
  witnessPolicy: ["--witness-policy", "BOARD_WITNESS_POLICY", undefined, policy, "quorum none\n"],
};
const NAMES = Object.keys(DOCUMENTED) as (keyof Documented)[];
/** What is only taken together with something else: the certificate and its key, a replica and its primary. */
const PARTNERS: Partial<Record<keyof Config, string[]>> = {
  tlsCert: ["--tls-key", key],
  tlsKey: ["--tls-cert", cert],
  databaseReadUrl: ["--database-url", "postgres://db/board"],
};
const partner = (name: keyof Config): string[] => PARTNERS[name] ?? [];

describe("which board it is", () => {
  test.for([
    [[], "local", "own", 12, 18],
    [["--host", "::1"], "local", "own", 12, 18],
    [["--host", "0.0.0.0"], "public", "own", 18, 24],
    [["--base-url", "https://board.example"], "public", "any", 18, 24],
    [["--base-url", "http://127.0.0.1:9"], "local", "own", 12, 18],
    [["--base-url", "http://my.localhost:9"], "local", "own", 12, 18],
    [["--base-url", "http://192.168.1.7"], "public", "own", 18, 24],
    [["--base-url", "http://[fd00::1]"], "public", "own", 18, 24],
    [["--base-url", "http://board"], "public", "own", 18, 24],
    [["--base-url", "http://board.local"], "public", "own", 18, 24],
    [["--base-url", "http://board.test"], "public", "own", 18, 24],
    [["--base-url", "http://board.example"], "public", "any", 18, 24],
    [["--profile", "public"], "public", "own", 18, 24],
    [["--profile", "local", "--host", "0.0.0.0"], "local", "own", 12, 18],
    [["--cors", "any"], "local", "any", 12, 18],
    [["--profile", "local", "--base-url", "https://board.example"], "local", "own", 12, 18],
    [["--pow-bits", "20"], "local", "own", 20, 20],
    [["--pow-max-bits", "14"], "local", "own", 12, 14],
  ] as const)("%j: %s, pages of %s sites, %i to %i bits", ([flags, profile, cors, powBits, powMaxBits]) => {
    expect(readConfig(flags, {})).toMatchObject({ profile, cors, powBits, powMaxBits });
  });
  test("anything else is a fault, and says what would be right", () => {
    expect(faultsOf(["--profile", "private", "--cors", "some"])).toEqual([
      '--profile (BOARD_PROFILE) is "private": give local or public.',
      '--cors (BOARD_CORS) is "some": give own or any.',
    ]);
  });
});

describe("an operator can set everything by flag and by variable", () => {
  test("and nothing is settable that is not documented", () => {
    expect(Object.keys(SETTINGS).sort()).toEqual([...NAMES].sort());
  });
  test.each(NAMES)("%s has its documented default", (name) => {
    expect(readConfig([], {})[name]).toEqual(DOCUMENTED[name][2]);
  });
  test.each(NAMES)("%s by flag, in both spellings", (name) => {
    const [flag, , , text, value] = DOCUMENTED[name];
    expect(readConfig([flag, text, ...partner(name)], {})[name]).toEqual(value);
    expect(readConfig([`${flag}=${text}`, ...partner(name)], {})[name]).toEqual(value);
  });
  test.each(NAMES)("%s by variable", (name) => {
    const [, variable, , text, value] = DOCUMENTED[name];
    expect(readConfig(partner(name), { [variable]: text })[name]).toEqual(value);
  });
  test.each(NAMES)("the flag of %s wins over its variable, which is not even looked at", (name) => {
    const [flag, variable, , text, value] = DOCUMENTED[name];
    expect(readConfig([flag, text, ...partner(name)], { [variable]: "\0 nonsense" })[name]).toEqual(value);
  });
  test.each(NAMES)("an empty variable of %s means the default", (name) => {
    expect(readConfig([], { [DOCUMENTED[name][1]]: "" })[name]).toEqual(DOCUMENTED[name][2]);
  });
  test("base address and key file follow port and data directory", () => {
    const config = readConfig(["--port", "9000", "--data", directory], {});
    expect(config).toMatchObject({ baseUrl: "http://localhost:9000", keyFile: join(directory, "board.key") });
  });
  test.for<[string[], number | undefined]>([
    [[], undefined],
    [["--mail-domain", "board.example"], 2525],
    [["--mail-domain", "localhost"], 2525],
    [["--smtp-port", "2525"], 2525],
    [["--smtp-port", "0"], undefined],
    [["--mail-domain", "board.example", "--smtp-port", "0"], undefined],
    [["--mail-domain", "board.example", "--smtp-port", "25"], 25],
    [["--smtp-host", "0.0.0.0"], undefined],
  ])("mail is received only where somebody asked for it: %j", ([flags, port]) => {
    expect(readConfig(flags, {}).smtpPort).toBe(port);
  });
  test("the SMTP port must be had only where somebody asked for it", () => {
    expect(readConfig([], {}).smtpRequired).toBe(false);
    expect(readConfig(["--smtp-port", "2525"], {}).smtpRequired).toBe(true);
    expect(readConfig([], { BOARD_SMTP_PORT: "2525" }).smtpRequired).toBe(true);
  });
  test("and nothing can change it afterwards", () => {
    expect(Object.isFrozen(readConfig([], {}))).toBe(true);
  });
});

describe("a wrong setting is refused with what is wrong and how to fix it", () => {
  test("all faults at once", () => {
    const faults = faultsOf(["--port", "http", "--rate-limits", "maybe", "--nonsense", "1", "--host"], {
      BOARD_LOG_LEVEL: "loud",
      BOARD_POW_BITS: "99",
      BOARD_TLS_CERT: "/nowhere/cert.pem",
    });
    for (const name of ["--port", "--rate-limits", "--nonsense", "--host", "--log-level", "--pow-bits", "--tls-cert", "--tls-key"])
      expect(faults.join("\n")).toContain(name);
    for (const fault of faults) expect(fault).toMatch(/give|needs|does not exist|not a flag|twice/);
  });
  test.each([
    [["--port", "65536"], "--port (PORT)"],
    [["--database-read-url", "postgres://replica/board"], "--database-read-url (BOARD_DATABASE_READ_URL)"],
    [["--contact", "security@board.example"], "--contact (BOARD_CONTACT)"],
    [["--contact", "http://board.example"], "--contact (BOARD_CONTACT)"],
    [["--key-file", cert], "--key-file (BOARD_KEY_FILE)"],
    [["--key-file", directory], "--key-file (BOARD_KEY_FILE)"],
    [["--port", "-1"], "--port (PORT)"],
    [["--port", "80.5"], "--port (PORT)"],
    [["--port", "0x50"], "--port (PORT)"],
    [["--port", " 80"], "--port (PORT)"],
    [["--host", "not a host"], "--host (BOARD_HOST)"],
    [["--host", "999.1.1.1"], "--host (BOARD_HOST)"],
    [["--base-url", "board.example"], "--base-url (BOARD_BASE_URL)"],
    [["--base-url", "ftp://board.example"], "--base-url (BOARD_BASE_URL)"],
    [["--base-url", "https://board.example/"], "--base-url (BOARD_BASE_URL)"],
    [["--base-url", "https://board.example/path"], "--base-url (BOARD_BASE_URL)"],
    [
      ["--base-url", "https://Board.example:443"],
      '--base-url (BOARD_BASE_URL) is "https://Board.example:443": write it as https://board.example.',
    ],
    [["--data", cert], "--data (BOARD_DATA_DIR)"],
    [["--data", `${cert}/below/it`], `--data (BOARD_DATA_DIR) is "${cert}/below/it": ${cert} is not a directory`],
    [["--data", `${directory}/dtaa/board`], `there is no directory ${directory}/dtaa to make it in; check the path`],
    [["--new-key", "yes"], "--new-key (BOARD_NEW_KEY)"],
    [["--database-url", "mysql://db/board"], "--database-url (BOARD_DATABASE_URL)"],
    ...["pass/word", "pass?word", "pass#word", "p@ss/word", "pass%word", "12/34", "12?34"].map(
      (password) =>
        [
          ["--database-url", `postgres://board:${password}@db:5432/board`],
          "--database-url (BOARD_DATABASE_URL) cannot be read: give postgres://user:password@host:port/database; in a user name or password, write / @ : ? # and % percent-encoded",
        ] as [string[], string],
    ),
    [["--mail-domain", "-"], "--mail-domain (BOARD_MAIL_DOMAIN)"],
    [["--smtp-host", "!"], "--smtp-host (BOARD_SMTP_HOST)"],
    [["--smtp-host", "127.0.1"], "--smtp-host (BOARD_SMTP_HOST)"],
    [["--smtp-port", "x"], "--smtp-port (BOARD_SMTP_PORT)"],
    [["--tls-cert", cert], "--tls-cert and --tls-key go together"],
    [["--tls-key", key], "--tls-cert and --tls-key go together"],
    [["--tls-cert", key, "--tls-key", cert], "--tls-cert holds no certificate in PEM form"],
    [["--tls-cert", cert, "--tls-key", cert], "--tls-key holds no private key in PEM form"],
    [
      ["--tls-cert", rsa.cert, "--tls-key", key],
      "--tls-cert and --tls-key do not fit: the certificate of CN=rsa.example belongs to another key",
    ],
    [
      ["--tls-cert", file("chain.pem", `${selfSigned("ca.example").cert}${pair.cert}`), "--tls-key", key],
      "--tls-cert begins with the certificate of CN=ca.example, but --tls-key is the key of its certificate 2: put that one first",
    ],
    [["--tls-cert", cert, "--tls-key", file("locked.pem", locked)], "--tls-key is protected by a passphrase"],
    [["--tls-cert", cert, "--tls-key", file("other.pem", selfSigned("localhost").key)], "--tls-cert and --tls-key do not fit"],
    [["--tls-cert", directory, "--tls-key", key], "it is a directory; give the path of a PEM file."],
    [["--tls-cert", cert, "--tls-key", `${key}/below/it`], "there is no such file; give the path of a PEM file."],
    [["--trusted-proxies", "10.0.0.0/33"], "--trusted-proxies (BOARD_TRUSTED_PROXIES)"],
    [["--trusted-proxies", "::1/129"], "--trusted-proxies (BOARD_TRUSTED_PROXIES)"],
    [["--trusted-proxies", "10.0.0.0/8/8"], "--trusted-proxies (BOARD_TRUSTED_PROXIES)"],
    [["--trusted-proxies", "proxy.example"], "--trusted-proxies (BOARD_TRUSTED_PROXIES)"],
    [["--pow-bits", "25", "--pow-max-bits", "24"], "--pow-max-bits (BOARD_POW_MAX_BITS)"],
    [["--pow-bits", "65"], "--pow-bits (BOARD_POW_BITS)"],
    [["--assist", "yes"], "--assist (BOARD_ASSIST)"],
    [["--read-only", "ON"], "--read-only (BOARD_READ_ONLY)"],
    [["--log-level", "verbose"], "--log-level (BOARD_LOG_LEVEL)"],
    [["--metrics", "1"], "--metrics (BOARD_METRICS)"],
    [["--port", "1", "--port", "2"], "--port is given twice"],
    [["--port"], "--port needs a value"],
    [["--port="], "--port needs a value"],
    [["--prot", "1"], "--prot does not exist"],
    [["extra"], '"extra" is not a flag'],
    [["-p", "80"], "-p does not exist"],
  ])("%j", (args, expected) => {
    expect(faultsOf(args).join("\n")).toContain(expected);
  });
  test("one mistake is one fault, so that the list is not noise", () => {
    for (const args of [
      ["--port", "x"],
      ["--pow-bits", "x"],
      ["--tls-cert", "/nowhere", "--tls-key", key],
      ["--log-level", "x"],
    ])
      expect(faultsOf(args)).toHaveLength(1);
  });
  test("a key that is empty or cut off is named by its own path, so that the operator finds the file and does not start a new board", () => {
    for (const rest of ["", "AAAA\n"]) {
      const data = mkdtempSync(join(directory, "data-"));
      writeFileSync(join(data, "board.key"), rest);
      const [fault = ""] = faultsOf(["--data", data]);
      expect(fault).toContain(`--key-file (BOARD_KEY_FILE) is ${JSON.stringify(join(data, "board.key"))}: `);
      expect(fault).toContain("restore it from a backup");
    }
  });
  test("a database address is never repeated, for it may hold a password", () => {
    for (const flags of [
      ["--database-url", "mysql://u:secret@db"],
      ["--database-url", "postgres://u:secret/x@db/board"],
      ["--database-read-url", "postgres://u:secret@db"],
      ["--database-read-url", "postgres://u:secret?@db", "--database-url", "postgres://db"],
    ]) {
      expect(faultsOf(flags)).toHaveLength(1);
      expect(faultsOf(flags).join()).not.toContain("secret");
    }
  });
  test.each([
    "postgres://",
    "postgres:///board",
    "postgresql://db",
    "postgres://board@db/board?host=/run/postgresql",
    "postgres://board:p%40ss%2Fword@db:5432/board",
    "postgres://board:a:b@db/board",
    "postgres://board:p@ss@db/board",
    "postgres://one:5432,two:5433/board",
    "postgres://[::1]:5432/board",
  ])("%s is an address", (url) => {
    expect(readConfig(["--database-url", url], {}).databaseUrl).toBe(url);
  });
  test("the message lists every fault on a line of its own", () => {
    expect(new ConfigFaults(["one.", "two."]).message).toBe("The configuration has 2 faults:\n  - one.\n  - two.");
    expect(new ConfigFaults(["one."]).message).toBe("The configuration has 1 fault:\n  - one.");
  });
});
