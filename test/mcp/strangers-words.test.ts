// Structured answers have strangers' words only in the fields that docs/mcp.md names, so that a program knows what to fence.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Agent, sha256 } from "../support/agent.ts";
import { operateAlias } from "../support/aliases.ts";
import type { PostBody, TestBoard } from "../support/board.ts";
import { McpClient } from "../support/mcp-client.ts";
import { MAIL_DOMAIN, type MailBoard, mailBoard, SmtpClient } from "../support/smtp.ts";

const WORD = "zzstranger";
const PLAIN = "the parser crashes on an empty file with a long line";
const WORDS = `${PLAIN} ${WORD}`;

/** The fields with strangers' words, of each thing in an answer, as docs/mcp.md names them. */
const FIELDS = {
  message: ["meta", "content", "raw", "from", "match", "derived.display_title"],
  node: ["kind", "title"],
  agent: ["aliases", "offers", "needs", "profile"],
  alias: ["alias", "email"],
  entry: ["id", "raw"],
} as const satisfies Readonly<Record<string, readonly string[]>>;
type Thing = keyof typeof FIELDS;

/** What an object in an answer is, by fields that only such objects have. */
function thingIn(value: object): Thing | undefined {
  if ("server" in value && "derived" in value) return "message";
  if ("distance" in value) return "node";
  if ("votes" in value) return "agent";
  if ("alias" in value && "email" in value) return "alias";
  return "type" in value && "hash" in value ? "entry" : undefined;
}

/** Finds the strangers' words of answers: those in fields that are named for them, and those that are anywhere else. */
class WordsIn {
  readonly named = new Set<string>();
  readonly misplaced: string[] = [];

  /** A field that a stranger named counts like a word in its place. */
  read(value: unknown, path: string, thing = "", within = ""): void {
    if (typeof value === "string" && value.includes(WORD)) this.misplaced.push(path);
    if (Array.isArray(value)) return value.forEach((item, at) => this.read(item, `${path}[${at}]`));
    if (typeof value !== "object" || value === null || ("untrusted" in value && value.untrusted === true)) return;
    const here = thing === "" ? (thingIn(value) ?? "") : thing;
    const fields: readonly string[] = here === "" ? [] : FIELDS[here as Thing];
    for (const [name, item] of Object.entries(value)) {
      const field = `${within}${name}`;
      if (fields.includes(field)) {
        if (JSON.stringify(item).includes(WORD)) this.named.add(`${here} ${field}`);
        continue;
      }
      if (name.includes(WORD)) this.misplaced.push(`the name of ${path}.${name}`);
      const isPart = fields.some((one) => one.startsWith(`${field}.`));
      this.read(item, `${path}.${name}`, isPart ? here : "", isPart ? `${field}.` : "");
    }
  }
}

let mail: MailBoard;
let board: TestBoard;
let reader: McpClient;
let stranger: Agent;
let task: PostBody;
let claimed: PostBody;
let own: string;
let readerId: string;
beforeAll(async () => {
  mail = await mailBoard();
  ({ board } = mail);
  await using newcomer = await McpClient.connect(board.url, "2026-07-28");
  const { secret_key: key, agent_id: id } = (await newcomer.done("create_identity")) as { secret_key: string; agent_id: string };
  readerId = id;
  reader = await McpClient.connect(board.url, "2026-07-28", { "x-blackboard-key": key });
  await reader.done("alias", { op: "claim", alias: "reader" });
  await reader.done("post_message", { kind: "profile", body: "I read.", offers: [`${WORD}-need`] });
  own = ((await reader.done("post_message", { kind: "task", title: "count the files" })) as { id: string }).id;
  await strangersWrite();
});
afterAll(async () => {
  await reader[Symbol.asyncDispose]();
  await board[Symbol.asyncDispose]();
});

/** All that strangers can write, in every place where they can. */
async function strangersWrite(): Promise<void> {
  stranger = board.agent();
  const [helper, checker] = [board.agent(), board.agent()];
  await operateAlias(board, stranger, "claim", WORD);
  const said = { title: WORDS, body: WORDS, data: { [WORD]: [WORDS] }, data_schema: WORD, tags: [WORD] };
  await board.put(stranger, { kind: "profile", ...said, offers: [`${WORD}-offer`], needs: [`${WORD}-need`] });
  const attachments = [{ sha256: sha256(WORDS), name: `${WORD}.txt`, mime: `text/${WORD}`, size: Buffer.byteLength(WORDS) }];
  task = await board.put(
    stranger,
    { kind: "task", ...said, needs: [`${WORD}-need`], offers: [`${WORD}-offer`], attachments },
    { [sha256(WORDS)]: WORDS },
  );
  // Still open when the other was taken.
  await board.put(stranger, { kind: "task", ...said, title: `another ${WORD}`, needs: [`${WORD}-need`] });
  claimed = await board.put(stranger, { kind: "task", ...said, needs: [`${WORD}-need`] });
  await board.put(helper, { kind: "claim", body: WORDS, refs: [{ rel: "claims", id: claimed.id }] });
  await board.put(stranger, { kind: `x-${WORD}`, ...said, to: readerId, refs: [{ rel: "builds_on", id: task.id }] });
  // Work that came back, with what was said against the answer.
  const answer = await board.put(helper, { kind: "result", ...said, refs: [{ rel: "answers", id: task.id }] });
  for (const voter of [stranger, checker])
    await board.put(voter, { kind: "verification", body: WORDS, refs: [{ rel: "refutes", id: answer.id }] });
  // Changes of the reader's own message.
  await board.put(stranger, { kind: "result", ...said, refs: [{ rel: "answers", id: own }] });
  await board.put(checker, { kind: "claim", body: WORDS, refs: [{ rel: "claims", id: own }] });
  await using client = await SmtpClient.connect(mail.port, "client.example");
  const lines = [`From: ${WORD} <${WORD}@${WORD}.example>`, `Subject: ${WORDS}`, `Message-ID: <${WORD}@${WORD}.example>`, "", WORDS];
  expect(await client.send(`reader@${MAIL_DOMAIN}`, lines.join("\r\n"), `${WORD}@${WORD}.example`)).toMatch(/^250 /);
}

/** Calls of each tool whose answers have words of strangers, or could have. */
const calls = (): Readonly<Record<string, readonly Record<string, unknown>[]>> => ({
  board_guide: [{ topic: "start" }],
  search_messages: [{ include: "body,data,raw,preview", limit: 100 }, { near: PLAIN }, { kind: `x-${WORD}` }],
  get_message: [{ id: task.id, include: "body,data,raw,preview" }, { id: WORD }],
  get_thread: [{ id: task.id }, { id: task.id, fold: false, include: "body,data,raw" }, { id: task.id, as: "graph" }],
  get_attachment: [{ id: task.id }, { id: task.id, name: "another.txt" }],
  find_work: [{ offers: [`${WORD}-need`] }, {}],
  read_inbox: [{}, { unread: false, include: "body,data,raw,preview" }],
  brief: [{}],
  wait_for_messages: [{ after_seq: 0, wait: 0, limit: 100 }],
  list_agents: [{}, { agent: stranger.id }],
  prepare_message: [{ pk: stranger.pk, message: { kind: "task", title: PLAIN } }],
  submit_message: [{ ...board.agent().envelope({ kind: "task", title: PLAIN }) }],
  post_message: [
    { kind: "task", title: PLAIN, dry_run: true },
    { kind: "claim", refs: [{ rel: "claims", id: claimed.id }] },
    { kind: "verification", body: "seen", refs: [{ rel: "verifies", id: own }] },
    { kind: "note", title: "to a name", to: WORD },
  ],
  take_work: [{ offers: [`${WORD}-need`], wait: 0 }],
  acknowledge: [{ seen: 1 }],
  create_identity: [{}],
  report_message: [{ target: task.id, category: "other", explanation: "It says something wrong." }],
  alias: [{ alias: WORD }],
});

test("every tool answers with strangers' words only in fields that are named for them, or beside untrusted: true", async () => {
  const { tools } = await reader.client.listTools();
  expect(Object.keys(calls()).sort()).toEqual(tools.map(({ name }) => name).sort());
  const words = new WordsIn();
  for (const [name, all] of Object.entries(calls()))
    for (const given of all) {
      const { body } = await reader.call(name, given);
      // The brief is a text for a model, with its own marker lines.
      const { brief = "", ...fields } = body;
      expect([name, brief === ""]).toEqual([name, name !== "brief"]);
      words.read(fields, `${name} ${JSON.stringify(given)}`);
    }
  expect(words.misplaced).toEqual([]);
});

test("so does every address that answers programs with JSON", async () => {
  const paths = [
    "/api/messages?include=body,data,raw,preview&include_superseded=1&include_removed=1",
    `/api/messages/${task.id}?include=body,data,raw,preview`,
    `/api/messages/${task.id}/thread?fold=1&include=body,data,raw`,
    `/api/messages/${task.id}/graph?depth=3`,
    `/api/similar?text=${encodeURIComponent(PLAIN)}`,
    `/api/work?offers=${WORD}-need&as=${readerId}&held=1`,
    "/api/expiring?within=7d",
    `/api/inbox/${readerId}?include=body,data,raw`,
    `/api/brief?agent=${readerId}&budget=100000`,
    "/api/agents",
    `/api/agents/${stranger.id}`,
    "/api/aliases",
    `/api/aliases/${WORD}`,
    "/api/tags",
    "/api/tags?field=need",
    "/api/stats",
    "/api/changes?include=raw",
  ];
  const words = new WordsIn();
  for (const path of paths) {
    const { status, body } = await board.get(path);
    expect([path, status]).toEqual([path, 200]);
    expect(JSON.stringify(body), path).toContain(WORD);
    words.read(body, path);
  }
  expect(words.misplaced).toEqual([]);
  // No field is named without need.
  expect([...words.named].sort()).toEqual(
    Object.entries(FIELDS)
      .flatMap(([thing, fields]) => fields.map((field) => `${thing} ${field}`))
      .sort(),
  );
});

test("the page on MCP names these fields", () => {
  const page = readFileSync("docs/mcp.md", "utf8");
  const listed = (names: readonly string[]): string => {
    const quoted = names.map((name) => `\`${name}\``);
    return `${quoted.slice(0, -1).join(", ")} and ${quoted.at(-1)}`;
  };
  expect(page).toContain(
    `There it is in ${listed(FIELDS.message)} of a message, in ${listed(FIELDS.node)} of a message in a graph, in ${listed(FIELDS.agent)} of an agent, in ${listed(FIELDS.alias)} of an alias, in ${listed(FIELDS.entry)} of an entry of the log, and in the values beside \`untrusted: true\`; \`brief\` is a text with marker lines.`,
  );
});
