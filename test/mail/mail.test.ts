import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:net";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codePoints } from "../../src/core/protocol/encoding.ts";
import { parsePayload } from "../../src/core/protocol/payload.ts";
import type { Agent } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { selfSigned } from "../support/certificate.ts";
import { openStream } from "../support/event-stream.ts";
import { eventually } from "../support/eventually.ts";
import { outcome } from "../support/outcome.ts";
import { BoardProcess, emptyDirectory } from "../support/process.ts";
import { call } from "../support/mcp-request.ts";
import { claim, type EmailRecord, inbox, MAIL_DOMAIN, type MailBoard, mailBoard, SmtpClient, withFreePort, zone } from "../support/smtp.ts";

let mail: MailBoard;
let owner: Agent;
let other: Agent;
beforeAll(async () => {
  mail = await mailBoard();
  owner = mail.board.agent();
  other = mail.board.agent();
  await claim(mail.board, owner, "alice");
  await claim(mail.board, owner, "second");
  await claim(mail.board, other, "other");
});
afterAll(() => mail.board[Symbol.asyncDispose]());

const TO = `alice@${MAIL_DOMAIN}`;
const text = (...lines: string[]): string => lines.join("\r\n");
let serial = 0;
const id = (): string => `<${++serial}@test.example>`;

async function newest(who = "alice"): Promise<EmailRecord> {
  const [first] = await inbox(mail.board, who);
  if (first === undefined) throw new Error("The inbox is empty.");
  return first;
}

/** Sends one message on its own connection. */
async function send(data: string | Uint8Array, to: string | readonly string[] = TO, from = "sender@test.example"): Promise<string> {
  await using client = await SmtpClient.connect(mail.port, "client.example");
  return await client.send(to, data, from);
}

const transport = (port: number, more: object = {}) => createTransport({ host: "127.0.0.1", port, secure: false, ...more });

describe("mail to an alias", () => {
  test("reaches the owner's inbox as a message of the board's own, signed and without work", async () => {
    const messageId = id();
    const info = await transport(mail.port, { ignoreTLS: true }).sendMail({
      from: '"Jane Doezyxwv" <jane.doe@test.example>',
      to: TO,
      subject: "Grüße an 世界",
      text: "First line\n.dot\n..two dots\nLast 👋\n",
      messageId,
      inReplyTo: "<earlier@test.example>",
      date: new Date("2026-05-04T03:02:01Z"),
    });
    expect(info.response).toMatch(/^250 2\.6\.0 /);
    const record = await newest();
    const { body: checkpoint } = await mail.board.get<{ board: string }>("/api/checkpoint");
    expect(record).toMatchObject({
      reason: "email",
      server: { pow_bits: 0, sig_valid: true, author: { id: checkpoint.board } },
      meta: { kind: "email", title: "Grüße an 世界", to: owner.id, data_schema: "email@1", body_format: "plain" },
      raw: { nonce: "0" },
    });
    expect(record.content.body).toBe("First line\n.dot\n..two dots\nLast 👋");
    expect(record.content.data).toEqual({
      from: "j***@test.example",
      to: TO,
      message_id: messageId,
      in_reply_to: "<earlier@test.example>",
      date: "2026-05-04T03:02:01.000Z",
      auth: { spf: "none", dkim: "none", dmarc: "none", aligned: false, domains: { spf: null, dkim: [] } },
      size: record.content.data.size,
      truncated: false,
      attachments: [],
    });
    expect(JSON.stringify(record)).not.toMatch(/jane|Doezyxwv/);
    expect(outcome(() => parsePayload(record.raw.payload))).toBe("kind_reserved");
    const { body: log } = await mail.board.get<{ changes: { type: string; id: string }[] }>("/api/changes?limit=1000");
    expect(log.changes.filter((one) => one.id === record.id).map((one) => one.type)).toEqual(["create"]);
  });

  test("shows its sender in an inbox without data: as JSON, as Markdown and through MCP", async () => {
    await send(text("From: <carol@test.example>", `Message-ID: ${id()}`, "Subject: who", "", "is it?"));
    const { body: plain } = await mail.board.get<{ messages: EmailRecord[] }>("/api/inbox/alice?limit=1");
    expect(plain.messages).toMatchObject([{ meta: { title: "who" }, reason: "email", from: "c***@test.example", from_aligned: false }]);
    await send(text(`Message-ID: ${id()}`, "Subject: from nobody", "", "x"), TO, "");
    const { body: markdown } = await mail.board.get<string>("/api/inbox/alice?format=md&limit=2");
    const answer = await mail.board.send(call("read_inbox", { agent: "alice", limit: 2 }), "/mcp");
    const { result } = answer.body as unknown as { result: { content: { text: string }[] } };
    for (const shown of [markdown, result.content[0]?.text ?? ""]) {
      // The sender chose it, so it is between the markers.
      expect(shown).toMatch(/^<<<DATA [0-9a-f]{12}\nfrom: unverified c\*\*\*@test\.example\ntitle: who\nis it\?\nDATA /m);
      expect(shown).toMatch(/^<<<DATA [0-9a-f]{12}\nfrom: nobody\ntitle: from nobody\n/m);
    }
  });

  test("shows the sender's whole address if the operator has said so, and still no display name", async () => {
    const { board, port } = await mailBoard({ flags: ["--mail-mask", "off"] });
    await claim(board, board.agent(), "alice");
    await using client = await SmtpClient.connect(port, "client.example");
    expect(await client.send(TO, text('From: "Jane Doezyxwv" <jane@test.example>', "", "x"))).toMatch(/^250 /);
    const [record] = await inbox(board, "alice");
    expect(record?.content.data.from).toBe("jane@test.example");
    expect(JSON.stringify(record)).not.toContain("Doezyxwv");
    await board[Symbol.asyncDispose]();
  });

  test("comes on the stream to readers of the inbox", async () => {
    await using stream = await openStream(mail.board, "/api/stream?inbox=alice&kind=email");
    await stream.next("hello");
    await stream.next("live");
    expect(await send(text("Subject: live", "", "now"))).toMatch(/^250 /);
    expect((await stream.next("message")).data).toMatchObject({ meta: { kind: "email", title: "live" }, content: { body: "now" } });
  });

  test("is accepted over TLS if the board has a certificate, and the board greets without TLS first", async () => {
    const directory = mkdtempSync(join(tmpdir(), "certificate-"));
    const { cert, key } = selfSigned("localhost");
    writeFileSync(join(directory, "cert.pem"), cert);
    writeFileSync(join(directory, "key.pem"), key);
    const plain = await mailBoard();
    const agent = plain.board.agent();
    await claim(plain.board, agent, "secure");
    await plain.board.stop();
    const { data, clock } = plain.board;
    const flags = ["--tls-cert", join(directory, "cert.pem"), "--tls-key", join(directory, "key.pem")];
    const secure = await mailBoard({ data, clock, flags });
    const tls = { ca: cert, servername: "localhost" };
    await transport(secure.port, { requireTLS: true, tls }).sendMail({ to: `secure@${MAIL_DOMAIN}`, subject: "sealed", text: "x" });
    // Data from before the handshake does not count after it.
    await using client = await SmtpClient.connect(secure.port, "client.example");
    client.write("STARTTLS\r\nMAIL FROM:<injected@test.example>\r\n");
    expect(await client.reply()).toMatch(/^220 /);
    await secure.board.stop();
    const again = await mailBoard({ data, clock });
    expect((await inbox(again.board, "secure")).map((one) => one.meta.title)).toEqual(["sealed"]);
    await again.board[Symbol.asyncDispose]();
  });

  test("for several recipients becomes one message each", async () => {
    const to = [TO, `second@${MAIL_DOMAIN}`, `Other@${MAIL_DOMAIN.toUpperCase()}`, TO];
    expect(await send(text(`Message-ID: ${id()}`, "Subject: to all", "", "hello"), to)).toMatch(/^250 /);
    const addressed = async (who: string) =>
      (await inbox(mail.board, who)).filter((one) => one.meta.title === "to all").map((one) => one.content.data.to);
    expect((await addressed("alice")).sort()).toEqual([TO, `second@${MAIL_DOMAIN}`]);
    expect(await addressed("other")).toEqual([`other@${MAIL_DOMAIN}`]);
  });

  test("arrives once, however often its sender tries, and once for each alias", async () => {
    const data = text(`Message-ID: ${id()}`, "Subject: once", "", "only once");
    for (let i = 0; i < 3; i++) expect(await send(data)).toMatch(/^250 /);
    expect(await Promise.all([send(data), send(data)])).toEqual([expect.stringMatching(/^250 /), expect.stringMatching(/^250 /)]);
    expect(await send(data, `second@${MAIL_DOMAIN}`)).toMatch(/^250 /);
    const found = (await inbox(mail.board, "alice")).filter((one) => one.meta.title === "once");
    expect(found.map((one) => one.content.data.to).sort()).toEqual([TO, `second@${MAIL_DOMAIN}`]);
  });

  test.each([
    ["<2026 one@test.example>", "<2026 two@test.example>"],
    ["< three@test.example >", "< four@test.example >"],
    ["sent by one", "sent by two"],
  ])("is not taken for another whose Message-ID begins alike: %s", async (first, second) => {
    for (const written of [first, second]) {
      const reply = `In-Reply-To: Your mail of Monday ${id()} <more@test.example>`;
      expect(await send(text(`Message-ID: ${written} (a comment)`, reply, "Subject: alike", "", "hello"))).toMatch(/^250 /);
      const { message_id, in_reply_to } = (await newest()).content.data;
      expect([message_id, in_reply_to]).toEqual([written.startsWith("<") ? written : `${written} (a comment)`, `<${serial}@test.example>`]);
    }
  });

  test("from the null sender is taken: reports of delivery come from it", async () => {
    expect(await send(text("From: MAILER-DAEMON@relay.example", "Subject: bounce", "", "x"), TO, "")).toMatch(/^250 /);
    expect((await newest()).content.data.from).toBe("M***@relay.example");
    expect(await send(text("Subject: nobody", "", "x"), TO, "")).toMatch(/^250 /);
    expect((await newest()).content.data.from).toBeNull();
    expect(await send(text("Subject: envelope only", "", "x"), TO, "quiet@relay.example")).toMatch(/^250 /);
    expect((await newest()).content.data.from).toBe("q***@relay.example");
  });
});

describe("the text of a mail", () => {
  test("HTML alone is turned into text that runs nothing and shows where links go", async () => {
    const html = `<html><head><title>T</title><style>p{color:red}</style></head><body><script>alert(1)</script><p>Hello &amp; welcome&nbsp;&uuml;</p>
      <ul><li>one</li><li>two <a href="https://test.example/x?a=1&amp;b=2">here</a></li></ul></body></html>`;
    expect(await send(text("Subject: html", "Content-Type: text/html; charset=utf-8", "", html.replaceAll(/\r?\n/g, "\r\n")))).toMatch(
      /^250 /,
    );
    expect((await newest()).content.body).toBe("Hello & welcome ü\n\n- one\n- two here (https://test.example/x?a=1&b=2)");
  });

  test("if there are text and HTML, the text is stored", async () => {
    await transport(mail.port).sendMail({ to: TO, subject: "both", text: "the text", html: "<p>the page</p>" });
    expect((await newest()).content.body).toBe("the text");
  });

  test.for([
    ["iso-8859-1", Buffer.from("Gr\xfc\xdfe", "latin1"), "Grüße"],
    ["windows-1252", Buffer.from("\x80 5 \x93x\x94", "latin1"), "€ 5 “x”"],
    ["shift_jis", Buffer.from("93fa967b8cea", "hex"), "日本語"],
    ["koi8-r", Buffer.from("f0d2c9d7c5d4", "hex"), "Привет"],
    ["gb18030", Buffer.from("c4e3bac3", "hex"), "你好"],
    ["utf-8", Buffer.from([0x61, 0xff, 0x62]), "a\ufffdb"],
    ["no-such-charset", Buffer.from("plain"), "plain"],
  ] as const)("text in %s can be read", async ([charset, bytes, expected]) => {
    const head = text(`Subject: =?${charset}?B?${bytes.toString("base64")}?=`, `Content-Type: text/plain; charset=${charset}`, "", "");
    expect(await send(Buffer.concat([Buffer.from(head), bytes]))).toMatch(/^250 /);
    expect((await newest()).content.body).toBe(expected);
    if (charset !== "utf-8") expect((await newest()).meta.title).toBe(expected);
  });

  test("attachments are listed by name, type and size, and their content is not stored", async () => {
    await transport(mail.port).sendMail({
      to: TO,
      subject: "files",
      text: "see files",
      attachments: [
        { filename: "naïve ☃.txt", content: "secret content" },
        { filename: "../../etc/passwd", content: Buffer.alloc(5000, 7), contentType: "application/octet-stream" },
      ],
    });
    const { content, raw } = await newest();
    expect(content.body).toBe("see files");
    expect(content.data.attachments).toMatchObject([
      { name: "naïve ☃.txt", mime: "text/plain", size: 14 },
      { mime: "application/octet-stream", size: 5000 },
    ]);
    expect(raw.payload).not.toContain("secret content");
  });

  test("a long text is cut and says so", async () => {
    const line = `${"é👋".repeat(40)}\r\n`;
    const head = text("Subject: =?utf-8?Q?" + "=F0=9F=91=8B".repeat(300) + "?=", "Content-Type: text/plain; charset=utf-8", "", "");
    expect(await send(head + line.repeat(1000))).toMatch(/^250 /);
    const { content, meta } = await newest();
    expect(codePoints(content.body ?? "")).toBe(32_768);
    expect(content.data.truncated).toBe(true);
    expect(codePoints(meta.title ?? "")).toBe(200);
  });

  test("is not counted as a copy, neither of a message nor of another mail, because the board is the author of all mail", async () => {
    const subject = "News for everybody who reads this board";
    const words = "The northern mirror is switched off on Sunday evening, so move what you have there before the weekend begins.";
    const copiesIn = async (id: string): Promise<number> => (await mail.board.record(id)).derived.copies;
    const posted = { kind: "note", title: subject, body: words };
    expect((await mail.board.put(mail.board.agent(), posted)).derived.copies).toBe(0);
    for (const sender of ["one", "two", "three"]) {
      const reply = await send(text(`From: ${sender}@test.example`, `Message-ID: ${id()}`, `Subject: ${subject}`, "", words));
      expect(reply).toMatch(/^250 /);
      const mailed = await newest();
      expect([mailed.content.body, await copiesIn(mailed.id)]).toEqual([words, 0]);
    }
    // Only the message of the other agent counts.
    expect((await mail.board.put(mail.board.agent(), posted)).derived.copies).toBe(1);
  });
  test("NUL, a lone surrogate and control characters do not make a message that readers choke on", async () => {
    const html = "<p>a\0b&#xD800;c&#0;d</p>";
    expect(await send(text("Subject: =?utf-8?B?YQBiDQpj?=", "Content-Type: text/html", "", html))).toMatch(/^250 /);
    const { content, meta, raw } = await newest();
    expect(meta.title).toBe("ab c");
    expect(content.body).not.toContain("\0");
    expect(outcome(() => parsePayload(raw.payload))).toBe("kind_reserved");
  });
});

describe("who sent it", () => {
  test("SPF, as the sender's domain has it for the address that connected", async () => {
    const resolve = zone({
      "pass.example TXT": [["v=spf1 ip4:127.0.0.1 -all"]],
      "fail.example TXT": [["v=spf1 ip4:192.0.2.1 -all"]],
      "soft.example TXT": [["v=spf1 ", "~all"]],
      "_dmarc.pass.example TXT": [["v=DMARC1; p=reject"]],
      "_dmarc.fail.example TXT": [["v=DMARC1; p=reject"]],
    });
    const { board, port } = await mailBoard({ resolve });
    const agent = board.agent();
    await claim(board, agent, "alice");
    for (const domain of ["pass.example", "fail.example", "soft.example", "none.example"]) {
      await using client = await SmtpClient.connect(port, "client.example");
      const data = text(`From: a@${domain}`, `Subject: ${domain}`, "", "x");
      expect(await client.send(TO, data, `a@${domain}`)).toMatch(/^250 /);
    }
    const found = await inbox(board, "alice");
    const nobody = { aligned: false, domains: { spf: null, dkim: [] } };
    expect(Object.fromEntries(found.map((one) => [one.meta.title, one.content.data.auth]))).toEqual({
      "pass.example": { spf: "pass", dkim: "none", dmarc: "pass", aligned: true, domains: { spf: "pass.example", dkim: [] } },
      "fail.example": { spf: "fail", dkim: "none", dmarc: "fail", ...nobody },
      "soft.example": { spf: "softfail", dkim: "none", dmarc: "none", ...nobody },
      "none.example": { spf: "none", dkim: "none", dmarc: "none", ...nobody },
    });
    await board[Symbol.asyncDispose]();
  });

  test("DKIM: a signature that fits passes, one over other words fails, and DNS that does not answer is no pass", async () => {
    const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const p = publicKey.export({ type: "spki", format: "der" }).toString("base64");
    const answers = zone({
      "s1._domainkey.signed.example TXT": [[`v=DKIM1; k=rsa; p=${p}`]],
      "_dmarc.signed.example TXT": [["v=DMARC1; p=none"]],
    });
    const { board, port } = await mailBoard({
      resolve: async (name, type) => {
        if (name.startsWith("slow.")) throw Object.assign(new Error(`no answer about ${name}`), { code: "ETIMEOUT" });
        return answers(name, type);
      },
    });
    await claim(board, board.agent(), "alice");
    const signed = async (subject: string, keySelector: string) => {
      const key = privateKey.export({ type: "pkcs1", format: "pem" });
      const stream = createTransport({
        streamTransport: true,
        buffer: true,
        newline: "windows",
        dkim: { domainName: "signed.example", keySelector, privateKey: key },
      });
      const { message } = await stream.sendMail({ from: "a@signed.example", to: TO, subject, text: "signed words" });
      return Buffer.from(message as Buffer).toString("latin1");
    };
    const deliver = async (data: string) => {
      await using client = await SmtpClient.connect(port, "client.example");
      expect(await client.send(TO, Buffer.from(data, "latin1"), "")).toMatch(/^250 /);
    };
    await deliver(await signed("good", "s1"));
    await deliver((await signed("changed", "s1")).replace("signed words", "other words"));
    await deliver(await signed("unanswered", "slow"));
    const found = await inbox(board, "alice");
    expect(Object.fromEntries(found.map((one) => [one.meta.title, one.content.data.auth]))).toMatchObject({
      good: { dkim: "pass", dmarc: "pass", aligned: true, domains: { spf: null, dkim: ["signed.example"] } },
      changed: { dkim: "fail", dmarc: "fail", aligned: false, domains: { spf: null, dkim: [] } },
      unanswered: { dkim: "temperror", aligned: false, domains: { spf: null, dkim: [] } },
    });
    await board[Symbol.asyncDispose]();
  });
});

describe("a board and its SMTP server", () => {
  test("end together: a message in progress is answered, an idle client is notified, nobody new is accepted, and nothing is lost", async () => {
    const { board, port } = await mailBoard();
    const agent = board.agent();
    await claim(board, agent, "alice");
    const idle = await SmtpClient.connect(port, "idle.example");
    const busy = await SmtpClient.connect(port, "busy.example");
    for (const line of ["MAIL FROM:<>", `RCPT TO:<${TO}>`, "DATA"]) await busy.say(line);
    busy.write("Subject: last\r\n\r\n");
    const { data, clock } = board;
    const stopped = board.stop();
    expect(await idle.reply()).toMatch(/^421 4\.3\.2 /);
    await eventually("no way in", () =>
      board.get("/healthz").then(
        () => undefined,
        () => true,
      ),
    );
    busy.write("words\r\n.\r\n");
    expect(await busy.reply()).toMatch(/^250 /);
    expect(await busy.reply()).toMatch(/^421 /);
    await stopped;
    const again = await mailBoard({ data, clock });
    expect((await inbox(again.board, agent.id)).map((one) => one.meta.title)).toEqual(["last"]);
    await again.board[Symbol.asyncDispose]();
  });

  test("as a process it names both addresses, and ends with a client still connected", async () => {
    let port = 0;
    await using board = await withFreePort((free) => {
      const mail = ["--smtp-port", String((port = free)), "--mail-domain", MAIL_DOMAIN];
      return BoardProcess.serve(emptyDirectory(), mail);
    });
    await using client = await SmtpClient.connect(port, "client.example");
    expect(await client.say("MAIL FROM:<>")).toMatch(/^250 /);
    const { code, stderr } = await board.kill("SIGTERM");
    expect(code).toBe(0);
    expect(stderr).toContain(`smtp://127.0.0.1:${port}`);
  });

  test("a port that was asked for and is taken is said plainly, and the board does not start without its mail", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    await expect(TestBoard.start({ smtpPort: port })).rejects.toThrow(
      `Port ${port} on 127.0.0.1 is in use. Choose another with --smtp-port`,
    );
    taken.close();
  });
});
