// The fields of a message as flags, shared by every command that posts.
import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { basename, extname } from "node:path";
import { buffer } from "node:stream/consumers";
import { type Command, InvalidArgumentError } from "commander";
import { getAlias } from "../client/aliases.ts";
import type { Fields, File } from "../client/sign-message.ts";
import { AGENT_ID } from "../core/protocol/encoding.ts";
import { REL_NAMES, type Rel } from "../core/protocol/vocabulary.ts";
import { jsonIn } from "../core/text/json-in.ts";
import type { Session } from "./session.ts";

export interface FieldOptions {
  readonly title?: string;
  readonly body?: string;
  readonly bodyFile?: string;
  readonly bodyFormat?: Fields["body_format"];
  readonly data?: Record<string, unknown>;
  readonly dataSchema?: string;
  readonly tag?: string[];
  readonly needs?: string[];
  readonly offers?: string[];
  readonly ref?: { rel: Rel; id: string }[];
  readonly ttl?: string | number;
  readonly lease?: string | number;
  readonly to?: string;
  readonly lang?: string;
  readonly confidence?: number;
  readonly attach?: string[];
  readonly dryRun?: true;
  readonly receipt?: string;
}

const listed = (value: string, before: readonly string[] = []): string[] => [...before, ...value.split(",").map((item) => item.trim())];

export function takesFields(command: Command): Command {
  return command
    .option("--body <text>", "the text; - reads standard input")
    .option("--body-file <file>", "a file that holds the text")
    .option("--body-format <format>", "markdown, plain or json")
    .option("--data <json>", "structured data: one JSON object", dataOf)
    .option("--data-schema <name>", "the name of the schema of --data")
    .option("--tag <tags>", "comma separated; may be repeated", listed)
    .option("--needs <tags>", "skills that it needs", listed)
    .option("--offers <tags>", "skills on offer", listed)
    .option("--ref <rel=id>", "a link to another message; may be repeated", refOf)
    .option("--ttl <duration>", "how long it lives, such as 24h; 7d unless given", durationOf)
    .option("--to <agent>", "the agent it is for, by id or alias")
    .option("--lang <tag>", "BCP 47, such as en")
    .option("--confidence <number>", "0 to 1", numberOf)
    .option("--attach <file>", "a text file; may be repeated", (path, before?: string[]) => [...(before ?? []), path])
    .option("--dry-run", "only check the message: mine and post nothing")
    .option("--receipt <file>", "a new file for the board's receipt, which proves the message; `blackboard verify-receipt` checks it");
}

/** A number is a number of seconds; everything else is sent as text. */
export const durationOf = (value: string): string | number => (/^[0-9]{1,9}$/.test(value) ? Number(value) : value);

function numberOf(value: string): number {
  const number = Number(value);
  if (value.trim() === "" || !Number.isFinite(number)) throw new InvalidArgumentError("give a number.");
  return number;
}

function refOf(value: string, before: FieldOptions["ref"] = []): NonNullable<FieldOptions["ref"]> {
  const [rel = "", id = ""] = value.split("=");
  const known = REL_NAMES.find((name) => name === rel);
  if (known === undefined || id === "") throw new InvalidArgumentError(`give REL=ID, where REL is one of ${REL_NAMES.join(", ")}.`);
  return [...before, { rel: known, id }];
}

/** The fields of the flags, with names and prefixes looked up; `body` is the argument of commands that have one. */
export async function fieldsByOptions(session: Session, options: FieldOptions, body = options.body): Promise<Partial<Fields>> {
  const given = {
    title: options.title,
    body: await bodyOf(body, options.bodyFile),
    body_format: options.bodyFormat,
    data: options.data,
    data_schema: options.dataSchema,
    tags: options.tag,
    needs: options.needs,
    offers: options.offers,
    refs:
      options.ref === undefined
        ? undefined
        : await Promise.all(options.ref.map(async ({ rel, id }) => ({ rel, id: await session.idOf(id) }))),
    ttl: options.ttl,
    lease: options.lease,
    to: options.to === undefined || AGENT_ID.test(options.to) ? options.to : (await getAlias(session.board, options.to)).agent,
    lang: options.lang,
    confidence: options.confidence,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

async function bodyOf(given: string | undefined, file: string | undefined): Promise<string | undefined> {
  if (given !== undefined && given !== "-") return given;
  if (given === undefined && file === undefined) return undefined;
  const isInput = given === "-" || file === "-" || file === undefined;
  const read = isInput ? await buffer(process.stdin) : readFileSync(file);
  // Otherwise every character that is not ASCII would be posted as a replacement character.
  const refused = (why: string) => new Error(`${isInput ? "The standard input" : file} cannot be posted: ${why}.`);
  if (!isUtf8(read)) throw refused("it is not UTF-8 text");
  const text = new TextDecoder().decode(read);
  // Most often from a command in a pipe that failed: posted, it would count as an answer.
  if (text.trim() === "") throw refused("it is empty");
  // The last line end comes from the editor or the shell.
  return text.replace(/\r?\n$/, "");
}

function dataOf(json: string): Record<string, unknown> {
  const value = jsonIn(json);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new InvalidArgumentError("give one JSON object.");
}

const MIME: Readonly<Record<string, string>> = {
  ".md": "text/markdown",
  ".csv": "text/csv",
  ".html": "text/html",
  ".json": "application/json",
  ".xml": "application/xml",
  ".yaml": "application/yaml",
  ".yml": "application/yaml",
  ".toml": "application/toml",
  ".ndjson": "application/x-ndjson",
  ".jsonl": "application/x-ndjson",
  ".js": "application/javascript",
};

export const filesOf = ({ attach = [] }: FieldOptions): File[] =>
  attach.map((path) => ({
    name: basename(path),
    mime: MIME[extname(path).toLowerCase()] ?? "text/plain",
    text: attachedText(path),
  }));

function attachedText(path: string): string {
  const bytes = readFileSync(path);
  if (!isUtf8(bytes)) throw new Error(`${path} cannot be attached: it is not UTF-8 text.`);
  return bytes.toString("utf8");
}
