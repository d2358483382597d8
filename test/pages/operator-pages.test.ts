// Follows the pages on moderation and mail: every command that an operator copies must work.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../../src/config.ts";
import { sha256 } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { type CodeBlock, codeBlocks } from "../support/code-blocks.ts";
import { emptyDirectory } from "../support/process.ts";
import { placeOf, runHere } from "../support/program.ts";

const commandsOf = (page: string, which: (block: CodeBlock) => boolean): readonly string[] =>
  codeBlocks(readFileSync(join(import.meta.dirname, "../../docs", page), "utf8"))
    .filter((block) => block.language === "sh" && which(block))
    .flatMap(({ text }) => text.split("\n"));

/** The words of a line as a shell reads them; the text after a # is for people. */
const wordsOf = (line: string): string[] =>
  [...line.replace(/\s#.*$/, "").matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");

let board: TestBoard;
beforeAll(async () => {
  board = await TestBoard.start();
});
afterAll(() => board[Symbol.asyncDispose]());

const note = async (author = board.agent()): Promise<{ readonly id: string; readonly author: string }> => {
  const { id } = await board.put(author, { kind: "note", title: "to be decided on" });
  return { id, author: author.id };
};

async function report(): Promise<string> {
  const body = JSON.stringify({ target: (await note()).id, category: "spam", explanation: "An advertisement." });
  return ((await board.send(body, "/api/reports")).body as unknown as { report: { id: string } }).report.id;
}

async function attachment(): Promise<string> {
  const text = "an attachment";
  const attachments = [{ sha256: sha256(text), name: "a.txt", mime: "text/plain", size: text.length }];
  await board.put(board.agent(), { kind: "note", title: "with it", attachments }, { [sha256(text)]: text });
  return sha256(text);
}

async function list(): Promise<string> {
  const path = join(emptyDirectory(), "ids.txt");
  writeFileSync(path, `${(await note()).id} # spam\n\n${(await note()).id}\n`);
  return path;
}

test("every command on the page on moderation works as it is written there, in the order of the page", async () => {
  /** The target of the last command, for the command that reverts it. */
  const last = { ID: "", AGENT: "", report: await report() };
  const real = async (word: string, takesBack: boolean): Promise<string> => {
    switch (word) {
      case "rp_...":
        return last.report;
      case "ID":
        return takesBack ? last.ID : (last.ID = (await note()).id);
      case "AGENT":
        return takesBack ? last.AGENT : (last.AGENT = (await note()).author);
      case "SHA256":
        return attachment();
      case "ids.txt":
        return list();
      default:
        return word;
    }
  };
  const commands = commandsOf("moderation.md", ({ noRun }) => !noRun);
  expect(commands.length).toBeGreaterThan(15);
  for (const line of commands) {
    const [program, ...words] = wordsOf(line);
    const takesBack = words.includes("restore") || words.includes("unblock-key");
    const args: string[] = [];
    for (const word of words) args.push(await real(word, takesBack));
    const said = await runHere([...args, "--yes", ...placeOf(board.data)]);
    expect([program, said.code, said.stderr], `${line}\n${said.stdout}`).toEqual(["blackboard", 0, ""]);
    board.clock.advance(1000);
  }
  expect((await board.get("/readyz")).body).toMatchObject({ writing: "ok" });
});

test("the flags on the page on mail are those of a board that receives mail from everywhere", () => {
  const [line = ""] = commandsOf("mail.md", ({ text }) => text.startsWith("blackboard serve"));
  const [program, command, ...flags] = wordsOf(line);
  expect([program, command]).toEqual(["blackboard", "serve"]);
  expect(readConfig(flags, {})).toMatchObject({ smtpHost: "::", smtpPort: 2525, mailDomain: "board.example" });
});
