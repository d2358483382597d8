// From flags and environment to one frozen configuration, or to every fault at once.
import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { ADDRESS_HINT, isAddress } from "./adapters/postgres/address.ts";
import { barred } from "./adapters/system/file-access-errors.ts";
import { readPem, tlsPair } from "./adapters/system/certificate.ts";
import { nearestExisting, parentFault } from "./adapters/system/make-directory.ts";
import { isHostName, isNetwork, isPrivateName } from "./adapters/system/host-name-checks.ts";
import { isLoopbackName } from "./core/loopback.ts";
import { sha256 } from "./core/protocol/node-sha256.ts";
import { parsePolicy } from "./core/tlog/policy.ts";
import { SECRET_KEY } from "./core/protocol/encoding.ts";
import { plural } from "./core/text/plural.ts";
import { faultOf, givenSettings, type Setting, setting } from "./given-settings.ts";

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
/** A lower limit, because an empty board already needs some space. */
const MIN_MAX_BYTES = 10_000_000;
const LOG_FORMATS = ["json", "text"] as const;
const ACCESS_LOGS = ["off", "on", "full"] as const;

export interface Config {
  readonly port: number;
  readonly host: string;
  readonly baseUrl: string;
  readonly data: string;
  readonly databaseUrl: string | undefined;
  readonly databaseReadUrl: string | undefined;
  readonly mailDomain: string;
  readonly mailMask: boolean;
  readonly smtpHost: string;
  /** Undefined if no mail is received; 0 lets the system choose a port. */
  readonly smtpPort: number | undefined;
  /** The port was given explicitly: if it is not available, the board does not start. */
  readonly smtpRequired: boolean;
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  readonly trustedProxies: readonly string[];
  readonly powBits: number;
  readonly powMaxBits: number;
  readonly rateLimits: boolean;
  readonly assist: boolean;
  /** Whether texts are also compared by meaning. */
  readonly meaning: boolean;
  readonly keyFile: string;
  readonly newKey: boolean;
  readonly readOnly: boolean;
  /** The quota of the whole board, if there is one. */
  readonly maxBytes: number | undefined;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** Unless given: text on a terminal, JSON elsewhere. */
  readonly logFormat: (typeof LOG_FORMATS)[number] | undefined;
  readonly accessLog: (typeof ACCESS_LOGS)[number];
  readonly metrics: boolean;
  /** The token that a caller of /metrics must send, if metrics are not public. */
  readonly metricsToken: string | undefined;
  /** A command for the shell, run for each new report. */
  readonly onReport: string | undefined;
  /** The page for reports unless given. */
  readonly contact: string | undefined;
  /** The content of the file that names the witnesses of the log. */
  readonly witnessPolicy: string | undefined;
  readonly profile: Profile;
  /** Whether the setting was given explicitly. */
  readonly profileGiven: boolean;
  /** Whether the name in the base address means this machine, or one of a private network. */
  readonly privateName: boolean;
  /** Whether browsers may use the board from any site, or only from its own pages. */
  readonly cors: (typeof CORS)[number];
}

export const PROFILES = ["local", "public"] as const;
export type Profile = (typeof PROFILES)[number];
const CORS = ["own", "any"] as const;
/** Minimum and maximum proof of work, and the factor for the usual limits. */
export const PROFILE_DEFAULTS: Readonly<
  Record<Profile, { readonly powBits: number; readonly powMaxBits: number; readonly width: number }>
> = {
  local: { powBits: 12, powMaxBits: 18, width: 50 },
  public: { powBits: 18, powMaxBits: 24, width: 1 },
};

/** Every setting; the help text and the documentation table are made from it. */
export const SETTINGS = {
  port: setting("port", "PORT", "8787", "TCP port of the HTTP server"),
  host: setting("host", "BOARD_HOST", "127.0.0.1", "address to listen on"),
  baseUrl: setting("base-url", "BOARD_BASE_URL", "http://localhost:PORT", "public address of the board"),
  data: setting("data", "BOARD_DATA_DIR", "./data", "directory of database, key and last signed head"),
  databaseUrl: setting("database-url", "BOARD_DATABASE_URL", "", "postgres://... instead of SQLite in the data directory"),
  databaseReadUrl: setting("database-read-url", "BOARD_DATABASE_READ_URL", "", "postgres://... of a replica that answers listings"),
  mailDomain: setting("mail-domain", "BOARD_MAIL_DOMAIN", "localhost", "domain of alias addresses"),
  mailMask: setting("mail-mask", "BOARD_MAIL_MASK", "on", "on or off: hide the names in the addresses of e-mail senders"),
  smtpHost: setting("smtp-host", "BOARD_SMTP_HOST", "127.0.0.1", "address of the SMTP server"),
  smtpPort: setting(
    "smtp-port",
    "BOARD_SMTP_PORT",
    "2525",
    "port for incoming mail, which is on if this or --mail-domain is set; 0: no mail",
  ),
  tlsCert: setting("tls-cert", "BOARD_TLS_CERT", "", "PEM file with the certificate chain"),
  tlsKey: setting("tls-key", "BOARD_TLS_KEY", "", "PEM file with the certificate's key"),
  trustedProxies: setting("trusted-proxies", "BOARD_TRUSTED_PROXIES", "", "proxy addresses or CIDR ranges, separated by commas"),
  profile: setting(
    "profile",
    "BOARD_PROFILE",
    "local on loopback, else public",
    "local: for this machine's own programs; public: for everybody",
  ),
  cors: setting("cors", "BOARD_CORS", "own at a private name, else any", "own or any: which sites may use the board from a browser"),
  powBits: setting("pow-bits", "BOARD_POW_BITS", "18, local 12", "minimum proof of work, in bits"),
  powMaxBits: setting("pow-max-bits", "BOARD_POW_MAX_BITS", "24, local 18", "maximum proof of work under load, in bits"),
  rateLimits: setting("rate-limits", "BOARD_RATE_LIMITS", "on", "on or off"),
  assist: setting("assist", "BOARD_ASSIST", "on", "on or off: sign for callers that send a key"),
  meaning: setting("meaning", "BOARD_MEANING", "on", "on or off: compare texts also by meaning, not only by words"),
  keyFile: setting("key-file", "BOARD_KEY_FILE", "DATA/board.key", "the board's own key, made for a new board"),
  newKey: setting(
    "new-key",
    "BOARD_NEW_KEY",
    "off",
    "on or off: start with another key than the one that signed the database; the board gets a new identity",
  ),
  readOnly: setting(
    "read-only",
    "BOARD_READ_ONLY",
    "off",
    "on or off: this process writes nothing at all; to close a board for a while, use operate read-only on",
  ),
  maxBytes: setting(
    "max-bytes",
    "BOARD_MAX_BYTES",
    "",
    "quota for the whole board in bytes, 10000000 or more; posts over 8 KiB are refused from 90 % on, all posts when it is used up",
  ),
  logLevel: setting("log-level", "BOARD_LOG_LEVEL", "info", LOG_LEVELS.join(", ")),
  logFormat: setting("log-format", "BOARD_LOG_FORMAT", "text on a terminal, else json", "json lines, or text for people"),
  accessLog: setting(
    "access-log",
    "BOARD_ACCESS_LOG",
    "off",
    "on: a log line for each request, addresses masked; full: with whole addresses and queries",
  ),
  metrics: setting("metrics", "BOARD_METRICS", "on", "on or off: serve /metrics"),
  metricsToken: setting("metrics-token", "BOARD_METRICS_TOKEN", "", "serve /metrics only to callers that send Authorization: Bearer TOKEN"),
  onReport: setting(
    "on-report",
    "BOARD_ON_REPORT",
    "",
    "shell command to run for each new report; REPORT_ID, REPORT_CATEGORY, REPORT_TARGET and REPORT_BOARD are set",
  ),
  contact: setting("contact", "BOARD_CONTACT", "BASE_URL/report", "where security reports go, for security.txt: mailto:... or https://..."),
  witnessPolicy: setting(
    "witness-policy",
    "BOARD_WITNESS_POLICY",
    "",
    "file that names the witnesses whose cosignatures the log accepts, and how many are enough (C2SP tlog-policy)",
  ),
} as const satisfies Record<Exclude<keyof Config, "smtpRequired" | "profileGiven" | "privateName">, Setting>;

/** Whether the board is local or public, why, and how to change that. */
export function profileWords({ profile, profileGiven, host, baseUrl, powBits, rateLimits }: Config): string {
  const why = profileGiven ? "by --profile" : `it listens on ${host} and its address is ${baseUrl}`;
  const mend = profileGiven ? "leave --profile out" : "give --base-url";
  if (profile === "local")
    return `this is a local board (${why}): proof of work from ${powBits} bits on, ${rateLimits ? "high limits" : "no limits"}, only programs on this machine; to publish it, ${mend}`;
  return `this is a public board (${why}): proof of work from ${powBits} bits on, ${rateLimits ? "limits for everybody" : "no limits"}`;
}

/** All faults of a configuration, each with its remedy. */
export class ConfigFaults extends Error {
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(`The configuration has ${plural(faults.length, "fault")}:\n${faults.map((fault) => `  - ${fault}`).join("\n")}`);
    this.faults = faults;
  }
}

type Given = ReturnType<typeof givenSettings<keyof typeof SETTINGS>>;

export function readConfig(args: readonly string[], environment: Readonly<Record<string, string | undefined>>): Config {
  const settings = givenSettings(SETTINGS, args, environment);
  const { faults, valueOf, given, text, fault, whole, onOff, address, file, choice } = settings;
  const port = whole("port", 0, 65_535);
  const data = text("data");
  const place = nearestExisting(data);
  if (statSync(place, { throwIfNoEntry: false })?.isDirectory() === false)
    fault("data", `${place === resolve(data) ? "it" : place} is not a directory; give the path of one, or of one to make.`);
  else {
    const lost = parentFault(data);
    if (lost !== undefined) fault("data", lost);
  }
  const host = address("host");
  const url = baseUrl(valueOf("baseUrl"), port, (mend) => fault("baseUrl", mend));
  const name = URL.parse(url)?.hostname ?? "";
  const profile = choice("profile", PROFILES, isLoopbackName(host) && isLoopbackName(name) ? "local" : "public");
  const privateName = isPrivateName(name);
  const defaults = PROFILE_DEFAULTS[profile];
  const powBits = whole("powBits", 0, 64, defaults.powBits);
  const config: Config = {
    port,
    host,
    baseUrl: url,
    profile,
    cors: choice("cors", CORS, profile === "local" || privateName ? "own" : "any"),
    profileGiven: given("profile"),
    privateName,
    data,
    databaseUrl: valueOf("databaseUrl"),
    databaseReadUrl: valueOf("databaseReadUrl"),
    mailDomain: text("mailDomain").toLowerCase(),
    mailMask: onOff("mailMask"),
    smtpHost: address("smtpHost"),
    // Mail is received only if the operator asks for it.
    smtpPort: (given("smtpPort") || given("mailDomain") ? whole("smtpPort", 0, 65_535) : 0) || undefined,
    smtpRequired: given("smtpPort"),
    tlsCert: file("tlsCert"),
    tlsKey: file("tlsKey"),
    trustedProxies: text("trustedProxies")
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== ""),
    powBits,
    powMaxBits: whole("powMaxBits", 0, 64, Math.max(defaults.powMaxBits, powBits)),
    rateLimits: onOff("rateLimits"),
    assist: onOff("assist"),
    meaning: onOff("meaning"),
    keyFile: valueOf("keyFile") ?? join(data, "board.key"),
    newKey: onOff("newKey"),
    readOnly: onOff("readOnly"),
    maxBytes: given("maxBytes") ? whole("maxBytes", MIN_MAX_BYTES, Number.MAX_SAFE_INTEGER) : undefined,
    logLevel: choice("logLevel", LOG_LEVELS, "info"),
    logFormat: choice("logFormat", LOG_FORMATS, undefined),
    accessLog: choice("accessLog", ACCESS_LOGS, "off"),
    metrics: onOff("metrics"),
    metricsToken: valueOf("metricsToken"),
    onReport: valueOf("onReport"),
    contact: valueOf("contact"),
    witnessPolicy: policyIn(valueOf("witnessPolicy"), (mend) => fault("witnessPolicy", mend)),
  };
  checkCombinations(config, settings);
  if (faults.length > 0) throw new ConfigFaults(faults);
  return Object.freeze(config);
}

/** Faults that can be found only when every setting is read. */
function checkCombinations(config: Config, { faults, given, fault }: Given): void {
  // Without the address itself, which may contain a password.
  if (config.databaseUrl !== undefined && !isAddress(config.databaseUrl))
    faults.push(`--database-url (BOARD_DATABASE_URL) cannot be read: ${ADDRESS_HINT} Leave it out to use SQLite in the data directory.`);
  if (config.contact !== undefined && !/^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(config.contact))
    fault("contact", "give mailto:name@host or https://...");
  if (config.metricsToken !== undefined && !/^[A-Za-z0-9._~+/=-]{16,256}$/.test(config.metricsToken))
    faults.push(
      "--metrics-token (BOARD_METRICS_TOKEN): give 16 to 256 letters, digits or -._~+/=, for instance from `openssl rand -hex 16`.",
    );
  if (!isSeedOrAbsent(config.keyFile))
    fault(
      "keyFile",
      "it is not a file with a key, which is 43 characters of base64url. If it was the board's key, restore it from a backup; for a new board, give the path of a file to make.",
      config.keyFile,
    );
  if (config.databaseReadUrl !== undefined && !isAddress(config.databaseReadUrl))
    faults.push(`--database-read-url (BOARD_DATABASE_READ_URL) cannot be read: ${ADDRESS_HINT}`);
  else if (config.databaseReadUrl !== undefined && config.databaseUrl === undefined)
    faults.push("--database-read-url (BOARD_DATABASE_READ_URL) is for a replica of --database-url: give that too, or leave it out.");
  if (!isHostName(config.mailDomain)) fault("mailDomain", "give a domain name.");
  if (given("tlsCert") !== given("tlsKey")) faults.push("--tls-cert and --tls-key go together: give both or neither.");
  const { tlsCert, tlsKey } = config;
  const unfit = tlsCert === undefined || tlsKey === undefined ? undefined : faultOf(() => tlsPair(readPem(tlsCert), readPem(tlsKey)));
  if (unfit !== undefined) faults.push(unfit);
  for (const proxy of config.trustedProxies)
    if (!isNetwork(proxy)) fault("trustedProxies", `${JSON.stringify(proxy)} is not an IP address or CIDR range.`);
  if (config.powMaxBits < config.powBits) fault("powMaxBits", `it must be at least --pow-bits, which is ${config.powBits}.`);
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

/** A missing file is created for a new board. If a file cannot be read, the part that needs it says so. */
function isSeedOrAbsent(path: string): boolean {
  if (!existsSync(path) || barred(path, "read") !== undefined) return true;
  return isFile(path) && SECRET_KEY.test(readFileSync(path, "utf8").trim());
}

function baseUrl(text: string | undefined, port: number, fault: (mend: string) => void): string {
  if (text === undefined) return `http://localhost:${port}`;
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol) || url.href !== `${url.origin}/`)
    fault("give http://host or https://host without a path, query or final slash.");
  // Agents compare signed addresses letter by letter, so there is only one spelling.
  else if (url.origin !== text) fault(`write it as ${url.origin}.`);
  return text;
}

/** The text of the file; a board reads it once. */
function policyIn(path: string | undefined, fault: (mend: string) => void): string | undefined {
  if (path === undefined) return undefined;
  try {
    const text = readFileSync(path, "utf8");
    parsePolicy(text, sha256);
    return text;
  } catch (error) {
    fault(`${(error as Error).message} Give a file as https://c2sp.org/tlog-policy has it, with \`witness\` lines and a \`quorum\` line.`);
    return undefined;
  }
}
