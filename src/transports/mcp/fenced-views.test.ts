// Whatever strangers write, no text for a model shows a word of it outside the marker lines: every view, from one table.
import { globSync, readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyFence, fencedLines, hostile, recordBy } from "../../../test/support/hostile-words.ts";
import { SEED } from "../../../test/support/random.ts";
import * as brief from "../../core/view/brief.ts";
import { type Fence, visible } from "../../core/view/fence.ts";
import * as markdown from "../../core/view/markdown.ts";
import { tombstoneOf } from "../../core/view/record.ts";
import * as text from "./text.ts";

const AGENT = `ag_${"1".repeat(20)}`;
const ID = "1".repeat(64);
const AT = "2026-01-01T00:00:00.000Z";

/** A message of which a stranger wrote all that an author can write. */
function messageOf(words: string, kind = `x-${words}`) {
  const record = recordBy({
    v: 1,
    pk: "",
    ts: 0,
    kind,
    title: words,
    body: words,
    tags: [words],
    needs: [words],
    offers: [words],
    data_schema: words,
    data: { from: words, [words]: words },
    attachments: [{ sha256: ID, name: words, mime: words, size: 1 }],
  });
  return {
    ...record,
    // The board's hints depend on the words.
    content: { ...record.content, flags: [] },
    about: { id: ID, title: words, status: "open" },
    match: { needs: [words], of: 1, refutations: [{ answer: ID, author: AGENT, preview: words }] },
  };
}

function tombstone(words: string) {
  const gone = { reason: "removed", at: 1000, statement: JSON.stringify({ facts: words, [words]: words }) };
  const record = tombstoneOf({ id: ID, seq: 1, author: AGENT, kind: `x-${words}`, root: ID, receivedAt: 0, ...gone } as never, "");
  return record;
}

const messagesOf = (words: string) => [messageOf(words), messageOf(words, "email"), tombstone(words)];
const pageOf = (words: string) => ({ messages: messagesOf(words), next_cursor: null, latest_seq: 3, as_of: AT });

function briefOf(words: string): brief.Brief {
  const form = { shows: 1, json: {}, lines: [{ facts: "- a message", strange: [words, words] }] };
  const sections = brief.BRIEF_SECTIONS.map((name) => ({ name, items: [{ urgent: true, forms: [form] }], total: 1, more: false }));
  return { agent: AGENT, from: 0, to: 1, budget: 1_000_000, sections };
}

const documentOf = (texts: readonly string[], marks: Fence) => markdown.markdownOf("Messages", [], texts, marks);

type View = (words: string, marks: Fence) => string | Promise<string>;
/** By the file that writes them; a view may be there in several forms. */
const VIEWS: Readonly<Record<string, Readonly<Record<string, View>>>> = {
  "src/core/view/brief.ts": { briefMarkdown: (words, marks) => brief.briefMarkdown(briefOf(words), marks) },
  "src/core/view/markdown.ts": {
    messageMarkdown: (words, marks) =>
      documentOf(
        messagesOf(words).map((one) => markdown.messageMarkdown(one, marks)),
        marks,
      ),
    messageWriter: (words, marks) => documentOf([...messagesOf(words), ...messagesOf(words)].map(markdown.messageWriter(marks)), marks),
    markdownDocument: (words, marks) => markdown.markdownDocument("Messages", [], messagesOf(words), marks),
    markdownList: (words, marks) => markdown.markdownList("Tags", ["2 tags."], [words, words], marks),
  },
  "src/transports/mcp/text.ts": {
    pageText: (words, marks) => text.pageText("Messages", pageOf(words), marks),
    "pageText, some fields": (words, marks) => text.pageText("Messages", pageOf(words), marks, { fields: "meta.title" }),
    messageText: (words, marks) => text.messageText(messageOf(words), marks),
    takenText: (words, marks) => text.takenText({ work: messageOf(words), held: [messageOf(words)], claim: ID }, marks),
    threadText: (words, marks) => {
      const facts = { root: ID, participants: [{ agent: AGENT, messages: 3 }], open: [ID], complete: true, total: 3 };
      return text.threadText({ ...facts, messages: messagesOf(words), next_cursor: null }, marks);
    },
    graphText: (words, marks) => {
      const node = { id: ID, kind: `x-${words}`, title: words, status: "open", author: AGENT, distance: 0 };
      return text.graphText({ center: ID, nodes: [node, node], edges: [{ from: ID, to: ID, rel: "reply" }], truncated: true }, marks);
    },
    agentsText: (words, marks) => {
      const figures = { first_seen: AT, last_seen: AT, reads_to_seq: 1, last_ack: AT, messages: { total: 1, live: 1 } };
      const votes = { received: { verifies: 0, refutes: 0 } };
      const said = { aliases: [{ alias: words }], offers: [words], needs: [words], profile: { body: words, flags: [] } };
      return text.agentsText({ agents: [{ id: AGENT, ...figures, votes, ...said }], next_cursor: null }, marks);
    },
    attachmentText: (words, marks) =>
      text.attachmentText(
        { sha256: ID, name: words, mime: words, text: words, offset: 0, chars: 9, next_offset: 5 },
        messageOf(words),
        marks,
      ),
    fencedWithRule: text.fencedWithRule,
    similarText: (words, marks) =>
      text.similarText(
        [{ id: ID, score: 0.5, title: words, status: "claimed", claimed_by: AGENT, untrusted: true }],
        new Map([[ID, messageOf(words)]]),
        marks,
      ),
    refusalText: (words, marks) => {
      const said = { message: "No.", hint: "Do something else.", docs: "http://board.test/x" };
      const quoted = { kind: `x-${words}`, statement: { facts: words }, alternatives: [{ id: ID, title: words, untrusted: true }] };
      return text.refusalText({ error: { code: "removed", ...said, details: { ...quoted, author: AGENT } } }, marks);
    },
  },
};

/** Functions of these files that show no text of strangers, or get it with the marker lines around it. */
const NO_VIEWS = new Set(["briefJson", "wordlessBrief", "shortId", "noticedLine", "hasStrangers", "markdownOf", "warningsText"]);
/** Shows between marker lines what its caller wrote. */
const OWN_WORDS = "src/transports/mcp/tools/writing.ts";
const HARMLESS = "word";

/** Nothing is hidden in the lines; where words are joined, there is no blank. */
function expectVisible(inside: readonly string[], { joint }: Fence): void {
  const plain = inside.map((line) => (joint === undefined ? line : line.replaceAll(joint, "")));
  expect(plain).toEqual(plain.map(visible));
  if (joint !== undefined) expect(inside.filter((line) => /\s/u.test(line))).toEqual([]);
}

describe.each(Object.entries(VIEWS))("%s", (_file, views) => {
  test.each(Object.entries(views))("%s: no word leaves its fence or changes what stands outside", async (_name, view) => {
    await fc.assert(
      fc.asyncProperty(hostile, anyFence, async (words, marks) => {
        fc.pre(!words.includes(marks.begin.slice(-12)));
        const given = `${HARMLESS}${words}${HARMLESS}`;
        const { outside, inside } = fencedLines(await view(given, marks), marks);
        expect(outside).toEqual(fencedLines(await view(HARMLESS, marks), marks).outside);
        expect(inside.join("\n")).toContain(HARMLESS);
        expectVisible(inside, marks);
        expect(outside.join("\n")).toContain(`\`${marks.begin}\``);
      }),
      { seed: SEED, numRuns: 200 },
    );
  });
});

test("every file that writes marker lines, and every view in it, is in the table", () => {
  const files = globSync("src/**/*.ts").map((path) => path.replaceAll("\\", "/"));
  const writing = files.filter((path) => {
    const source = readFileSync(path, "utf8");
    return (
      !path.endsWith(".test.ts") &&
      /from ".*\/fence\.ts"/.test(source) &&
      /\bfencedText\(|\bmarks\.begin\b|\bbegin\b[^\n]*= marks\b/.test(source)
    );
  });
  expect(writing.filter((path) => path !== OWN_WORDS).sort()).toEqual(Object.keys(VIEWS).sort());
  const exported = [brief, markdown, text].flatMap((file) => Object.entries(file).filter(([, one]) => typeof one === "function"));
  const shown = new Set(Object.values(VIEWS).flatMap((views) => Object.keys(views).map((name) => name.split(",")[0])));
  expect(exported.map(([name]) => name).filter((name) => !shown.has(name) && !NO_VIEWS.has(name))).toEqual([]);
});
