import { afterAll, describe, expect, test } from "vitest";
import { MailUnreadable } from "../../ports/mail.ts";
import { mailReader } from "./reader-pool.ts";

const faults: unknown[] = [];
const report = { appended: () => {}, failed: (_what: string, error: unknown) => faults.push(error) };
const unknown = async (): Promise<string[]> => {
  throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
};
/** Only what never ends takes so long: what a mail may cost is said where that is the question. */
const HANG_MS = 300_000;
const reader = mailReader(unknown, report, { workMs: HANG_MS, dnsMs: HANG_MS, wholeMs: HANG_MS, questions: 40, memoryMb: 192 });
afterAll(() => reader.close());

const mail = (text: string, sender = "") => ({ bytes: Buffer.from(text, "latin1"), ip: "192.0.2.1", helo: "client.example", sender });
const many = (times: number, text: string): string => text.repeat(times);
const LARGE = 1_000_000;

/** "read", or why it was not. */
const read = (text: string): Promise<string> =>
  reader.read(mail(text)).then(
    () => "read",
    (error: unknown) => (error instanceof MailUnreadable ? error.message : String(error)),
  );

describe("mail made to hurt the reader", () => {
  const header = "Content-Type: multipart/mixed; boundary=b\r\n\r\n";
  test.for([
    ["parts without number", header + many(LARGE / 5, "--b\r\n"), /too many parts/],
    [
      "boundaries without number",
      many(600, 'x\r\nContent-Type: multipart/mixed; boundary="b\0"\r\n\r\n').replaceAll("\0", (_, at) => String(at)),
      /too many parts/,
    ],
    [
      "nesting without end",
      Array.from({ length: 400 }, (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`).join(""),
      /nesting/,
    ],
    ["header fields without number", many(LARGE / 8, "X-A: b\r\n"), /too many header fields/],
    ["a header field without end", `X-A: ${many(LARGE, "b")}\r\n\r\n`, /too long/],
    ["a field of nothing but folds", `Subject: x${many(60_000, "\r\n b")}\r\n\r\n`, /too long/],
    ["many large headers of parts", header + many(400, `--b\r\nX-A: ${many(1000, "c")}\r\n\r\nx\r\n`), /header size/i],
    ["tags that never close", `Content-Type: text/html\r\n\r\n${many(90_000, "<a href='")}`, /^read$/],
    ["one bracket, a million times", `Content-Type: text/html\r\n\r\n${many(LARGE, "<")}`, /^read$/],
    ["a mail of few bytes in many lines", `Subject: x\r\n\r\n${many(50_000, "\r\n")}`, /^read$/],
    ["nothing at all", "", /^read$/],
    ["no header", "just words", /^read$/],
  ] as const)("%s", async ([, text, expected]) => {
    expect(await read(text)).toMatch(expected);
    expect(await read("Subject: next\r\n\r\nfine")).toBe("read");
    expect(faults).toEqual([]);
  });

  test("one that takes the thread's time is given up, its thread ended, and the next mail read by another", async () => {
    const strict = mailReader(unknown, report, { workMs: 20, dnsMs: 100, wholeMs: HANG_MS, questions: 5, memoryMb: 192 });
    const slow = `Content-Type: text/plain; format=flowed\r\n\r\n${many(250_000, "a \r\n")}`;
    const error = await strict.read(mail(slow)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "MailUnreadable", again: true });
    const generous = await Promise.all([reader.read(mail("Subject: a\r\n\r\nx")), reader.read(mail("Subject: b\r\n\r\nx"))]);
    expect(generous.map((one) => one.subject)).toEqual(["a", "b"]);
    await strict.close();
  });

  test("DNS that never answers, and signatures without number, cost a bounded wait and a bounded number of questions", async () => {
    let asked = 0;
    const silent = mailReader(
      () => {
        asked++;
        return new Promise(() => {});
      },
      report,
      { workMs: HANG_MS, dnsMs: 200, wholeMs: HANG_MS, questions: 7, memoryMb: 192 },
    );
    const signature = (n: number) =>
      `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=d${n}.example; s=s; h=from; bh=AAAA; b=AAAA\r\n`;
    const text = `${Array.from({ length: 100 }, (_, n) => signature(n)).join("")}From: a@test.example\r\n\r\nx`;
    const { auth } = await silent.read(mail(text, "a@test.example"));
    expect(asked).toBeLessThanOrEqual(7);
    expect(Object.values(auth)).not.toContain("pass");
    expect(auth.spf).toBe("temperror");
    await silent.close();
  });
});

describe("who a mail is from", () => {
  test.for([
    ["From: jane@test.example", "jane@test.example"],
    ["From: Team: jane@test.example, joe@test.example;", "jane@test.example"],
    ["From: jane at test.example", "envelope@test.example"],
    ["From: <>", "envelope@test.example"],
    ["From:", "envelope@test.example"],
    ["Subject: nobody", "envelope@test.example"],
  ] as const)("a reader sees it even if the header is malformed: %s", async ([header, from]) => {
    expect((await reader.read(mail(`${header}\r\n\r\nx`, "envelope@test.example"))).from).toBe(from);
  });
});
