// Mail to postmaster and abuse: it reaches the operator of the board as a report, and nobody else.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Notice } from "../../src/core/message/moderation-state.ts";
import { codePoints } from "../../src/core/protocol/encoding.ts";
import { LIMITS } from "../../src/core/protocol/limits.ts";
import type { TestBoard } from "../support/board.ts";
import { eventually } from "../support/eventually.ts";
import { Operator } from "../support/operator.ts";
import { placeOf, runHere } from "../support/program.ts";
import { claim, inbox, MAIL_DOMAIN, type MailBoard, mailBoard, SmtpClient } from "../support/smtp.ts";

const text = (...lines: string[]): string => lines.join("\r\n");
const complaint = (words: string): string =>
  text("From: Jane Doe <jane@test.example>", `Subject: about ${words}`, "", `The text about ${words}.`);

async function send({ board, port }: MailBoard, to: string | readonly string[], data: string): Promise<string> {
  // Moves time, so that the newest report is the last one.
  board.clock.advance(1000);
  await using client = await SmtpClient.connect(port, "client.example");
  return await client.send(to, data, "envelope@test.example");
}
async function reports(board: TestBoard): Promise<readonly Notice[]> {
  await using operator = await Operator.at(board);
  return await operator.session.store.notices({ state: "received", after: undefined, limit: 100 });
}
function operate(board: TestBoard, ...args: string[]) {
  return runHere(["operate", ...args, ...placeOf(board.data)]);
}

let mail: MailBoard;
beforeAll(async () => {
  mail = await mailBoard();
  await claim(mail.board, mail.board.agent(), "alice");
});
afterAll(() => mail[Symbol.asyncDispose]());

test.for([
  [`postmaster@${MAIL_DOMAIN}`, `postmaster@${MAIL_DOMAIN}`],
  [`PostMaster@${MAIL_DOMAIN.toUpperCase()}`, `postmaster@${MAIL_DOMAIN}`],
  ["Postmaster", "postmaster"],
  [`Abuse@${MAIL_DOMAIN}`, `abuse@${MAIL_DOMAIN}`],
] as const)("mail to %s is stored as a report about %s, with subject, text and where to answer", async ([to, target]) => {
  expect(await send(mail, to, complaint(`mail to ${to}`))).toBe("250 2.6.0 Accepted and stored");
  expect((await reports(mail.board)).at(-1)).toMatchObject({
    target,
    category: "other",
    state: "received",
    explanation: `Subject: about mail to ${to}\n\nThe text about mail to ${to}.`,
    contact: "jane@test.example (unverified)",
  });
});

test("one mail to an agent and to the operator reaches both", async () => {
  expect(await send(mail, [`alice@${MAIL_DOMAIN}`, `abuse@${MAIL_DOMAIN}`], complaint("both"))).toMatch(/^250 /);
  expect((await inbox(mail.board, "alice"))[0]?.meta.title).toBe("about both");
  expect((await reports(mail.board)).at(-1)?.explanation).toContain("about both");
});

test("a long text is cut, NUL and lone surrogates are left out, and an empty mail is still a report", async () => {
  const long = text("Subject: =?utf-8?B?YQBi?=", "Content-Type: text/html; charset=utf-8", "", `<p>&#xD800;${"long 👋 ".repeat(1500)}</p>`);
  expect(await send(mail, "postmaster", long)).toMatch(/^250 /);
  const cut = (await reports(mail.board)).at(-1);
  expect(cut?.explanation.startsWith("Subject: ab\n\n")).toBe(true);
  expect(codePoints(cut?.explanation ?? "")).toBe(LIMITS.report_explanation_chars);
  expect(cut?.contact).toBe("envelope@test.example (unverified)");
  expect(await send(mail, "postmaster", "X-Nothing: here\r\n\r\n")).toMatch(/^250 /);
  expect((await reports(mail.board)).at(-1)?.explanation).toBe("(a mail without subject and text)");
});

test("other domains, and names that the library would take for it, are refused as ever", async () => {
  expect(await send(mail, "postmaster@elsewhere.example", complaint("elsewhere"))).toMatch(/^550 5\.7\.1 /);
  expect(await send(mail, `postmasters@${MAIL_DOMAIN}`, complaint("a guess"))).toMatch(/^550 5\.1\.1 /);
  expect(await send(mail, `hostmaster@${MAIL_DOMAIN}`, complaint("a guess"))).toMatch(/^550 5\.1\.1 /);
});

test("the world learns only that there is one more report", async () => {
  const { board } = mail;
  interface Counts {
    readonly notices: { readonly received: number; readonly by_category: { readonly other?: number } };
  }
  const counts = async () => (await board.get<Counts>("/api/transparency")).body.notices;
  const before = await counts();
  expect(await send(mail, `abuse@${MAIL_DOMAIN}`, complaint("a canary zyxwvq"))).toMatch(/^250 /);
  const after = await counts();
  expect([after.received, after.by_category.other]).toEqual([before.received + 1, (before.by_category.other ?? 0) + 1]);
  for (const path of [
    "/api/transparency",
    "/api/changes?include=raw&limit=1000",
    "/api/dump.jsonl",
    "/api/messages?q=canary",
    "/api/stats",
  ]) {
    const shown = JSON.stringify((await board.get(path)).body);
    for (const word of ["zyxwvq", "jane@test.example", `abuse@${MAIL_DOMAIN}`]) expect(shown, path).not.toContain(word);
  }
});

describe("the operator", () => {
  test("sees it in the list, reads it whole, and closes it", async () => {
    const { board } = mail;
    expect(await send(mail, `abuse@${MAIL_DOMAIN}`, complaint("the operator's desk"))).toMatch(/^250 /);
    const id = (await reports(board)).at(-1)?.id ?? "";
    const { stdout: list } = await operate(board, "reports", "list");
    expect(list.split("\n").find((line) => line.startsWith(id))).toContain(`abuse@${MAIL_DOMAIN}  Subject: about the operator's desk`);
    const { stdout: shown } = await operate(board, "reports", "show", id);
    for (const words of [
      `target    abuse@${MAIL_DOMAIN}`,
      "contact   jane@test.example (unverified)",
      "The text about the operator's desk.",
    ])
      expect(shown).toContain(words);
    expect((await operate(board, "reports", "dismiss", id, "--yes")).code).toBe(0);
    expect((await reports(board)).some((one) => one.id === id)).toBe(false);
  });
});

test("nothing can be removed or blocked by the address of such a mail, and the refusal tells the operator what to do", async () => {
  const reasons = ["--category", "other", "--ground", "incompatible_content", "--facts", "x", "--yes"];
  for (const act of [
    ["remove", `abuse@${MAIL_DOMAIN}`],
    ["block-key", "Postmaster"],
  ]) {
    const { code, stdout, stderr } = await operate(mail.board, ...act, ...reasons);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("is the operator's own mailbox, which cannot be removed or blocked");
    expect(stderr).toContain("operate reports dismiss");
  }
});

test("mail of one address to the operator is limited like its reports: more has to come later, and counts for HTTP too", async () => {
  await using limited = await mailBoard({ flags: ["--rate-limits", "on"] });
  const { board } = limited;
  await claim(board, board.agent(), "alice");
  for (let i = 0; i < 5; i++) expect(await send(limited, `postmaster@${MAIL_DOMAIN}`, complaint(`number ${i}`))).toMatch(/^250 /);
  expect(await send(limited, `postmaster@${MAIL_DOMAIN}`, complaint("one more"))).toMatch(/^451 4\.7\.0 /);
  // Mail to an agent is not delayed by that.
  expect(await send(limited, `alice@${MAIL_DOMAIN}`, complaint("to an agent"))).toMatch(/^250 /);
  const { id } = await board.put(board.agent(), { kind: "note", title: "reported" });
  const report = JSON.stringify({ target: id, category: "spam", explanation: "x" });
  expect((await board.send(report, "/api/reports")).status).toBe(429);
  board.clock.advance(720_000);
  expect(await send(limited, "postmaster", complaint("later"))).toMatch(/^250 /);
  // Two at once with room for one: neither is accepted, and neither counts.
  board.clock.advance(720_000);
  const both = ["postmaster", `abuse@${MAIL_DOMAIN}`, `alice@${MAIL_DOMAIN}`];
  expect(await send(limited, both, complaint("both at once"))).toMatch(/^451 4\.7\.0 /);
  expect((await inbox(board, "alice")).map((one) => one.meta.title)).toEqual(["about to an agent"]);
  expect(await send(limited, "postmaster", complaint("one of them"))).toMatch(/^250 /);
  expect(await reports(board)).toHaveLength(7);
});

test("a mail that cannot be read takes nothing from what the address may send", async () => {
  await using limited = await mailBoard({ flags: ["--rate-limits", "on"] });
  const broken = `${"X: y\r\n".repeat(600)}\r\nx`;
  for (let i = 0; i < 6; i++) expect(await send(limited, "postmaster", broken)).toMatch(/^550 5\.6\.0 /);
  for (let i = 0; i < 5; i++) expect(await send(limited, "postmaster", complaint(`number ${i}`))).toMatch(/^250 /);
});

test("while the operator has the board read-only, agents get no mail, and the operator still does", async () => {
  await using quiet = await mailBoard();
  const { board } = quiet;
  await claim(board, board.agent(), "alice");
  await using operator = await Operator.at(board);
  await operator.session.order({ do: "switch", switches: { readOnly: true } });
  board.clock.advance(1000);
  await eventually("the switch", async () =>
    (await send(quiet, `alice@${MAIL_DOMAIN}`, complaint("an agent"))).startsWith("451 4.3.0 ") ? true : undefined,
  );
  expect(await send(quiet, `abuse@${MAIL_DOMAIN}`, complaint("an incident"))).toMatch(/^250 /);
  expect(await reports(board)).toHaveLength(1);
});
