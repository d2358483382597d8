import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mailroom } from "../../src/board/write/mail.ts";
import { RateLimiter } from "../../src/board/limits/rate.ts";
import { Refusal } from "../../src/core/errors.ts";
import { LIMITS } from "../../src/core/protocol/limits.ts";
import { MailUnreadable } from "../../src/ports/mail.ts";
import type { SeatLimits } from "../../src/transports/smtp/connection-limits.ts";
import { SmtpServer } from "../../src/transports/smtp/server.ts";
import { signingKey } from "../../src/adapters/system/ed25519-signing-keys.ts";
import { eventually } from "../support/eventually.ts";
import { UNGUARDED } from "../support/bare-board.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { claim, inbox, MAIL_DOMAIN, type MailBoard, mailBoard, SmtpClient } from "../support/smtp.ts";
import { noVectors, vectorJson, WITH_VECTORS } from "../support/vectors.ts";

let mail: MailBoard;
beforeAll(async () => {
  mail = await mailBoard();
  const [first, second, third] = [mail.board.agent(), mail.board.agent(), mail.board.agent()];
  for (const [i, agent] of [first, second, third].entries())
    for (let n = 0; n < 5; n++) {
      mail.board.clock.advance(1000);
      await claim(mail.board, agent, `name-${i * 5 + n}`);
    }
});
afterAll(() => mail[Symbol.asyncDispose]());

const address = (n: number): string => `name-${n}@${MAIL_DOMAIN}`;
const client = (): Promise<SmtpClient> => SmtpClient.connect(mail.port, "client.example");
const titles = async (n = 0): Promise<(string | undefined)[]> => (await inbox(mail.board, `name-${n}`)).map((one) => one.meta.title);

describe("a server that only receives", () => {
  test("offers what it can and nothing else", async () => {
    await using smtp = await SmtpClient.connect(mail.port);
    const features = (await smtp.say("EHLO client.example")).split("\r\n").map((line) => line.slice(4));
    expect(features.slice(1).sort()).toEqual(["8BITMIME", "ENHANCEDSTATUSCODES", "PIPELINING", `SIZE ${LIMITS.mail_bytes}`, "SMTPUTF8"]);
    for (const command of ["AUTH PLAIN AAAA", "STARTTLS", "XCLIENT ADDR=192.0.2.1", "SHELL"])
      expect(await smtp.say(command)).toMatch(/^50\d 5\./);
    expect(await smtp.say("VRFY name-0")).toMatch(/^252 /);
  });

  test("refuses a recipient that does not exist, and every domain but its own: nobody relays through it", async () => {
    await using smtp = await client();
    expect(await smtp.say("MAIL FROM:<a@test.example>")).toMatch(/^250 2\.1\.0 /);
    for (const unknown of ["nobody", "hostmaster", "NAME-99", "a", "name-0+tag", "x".repeat(60)])
      expect(await smtp.say(`RCPT TO:<${unknown}@${MAIL_DOMAIN}>`), unknown).toMatch(/^550 5\.1\.1 /);
    for (const elsewhere of ["name-0@elsewhere.example", `name-0@sub.${MAIL_DOMAIN}`, "name-0@[127.0.0.1]", "name-0@board.examp"])
      expect(await smtp.say(`RCPT TO:<${elsewhere}>`), elsewhere).toMatch(/^550 5\.7\.1 /);
    for (const crooked of [`name-0%elsewhere.example@${MAIL_DOMAIN}`, `"name-0@elsewhere.example"@${MAIL_DOMAIN}`, "name-0"])
      expect(await smtp.say(`RCPT TO:<${crooked}>`), crooked).toMatch(/^5\d\d 5\.1\./);
    expect(await smtp.say("DATA")).toMatch(/^503 5\.5\.1 /);
    expect(await smtp.say(`RCPT TO:<NAME-0@${MAIL_DOMAIN.toUpperCase()}>`)).toMatch(/^250 2\.1\.5 /);
  });

  test("ends the connection of one that guesses names", async () => {
    await using smtp = await client();
    await smtp.say("MAIL FROM:<>");
    const replies: string[] = [];
    for (let n = 0; n < 22; n++) replies.push(await smtp.say(`RCPT TO:<guess-${n}@${MAIL_DOMAIN}>`));
    expect(replies[19]).toMatch(/^550 5\.1\.1 /);
    expect(replies[20]).toMatch(/^421 4\.7\.0 /);
    expect(replies[21]).toBe("");
  });

  test("accepts ten recipients, and the eleventh has to come in another message", async () => {
    await using smtp = await client();
    await smtp.say("MAIL FROM:<>");
    for (let n = 0; n < 10; n++) expect(await smtp.say(`RCPT TO:<${address(n)}>`)).toMatch(/^250 /);
    expect(await smtp.say(`RCPT TO:<${address(10)}>`)).toMatch(/^452 4\.5\.3 /);
    await smtp.say("DATA");
    smtp.write("Subject: ten\r\n\r\nx\r\n.\r\n");
    expect(await smtp.reply()).toMatch(/^250 /);
    expect(await titles(9)).toContain("ten");
    expect(await titles(10)).not.toContain("ten");
    await smtp.say("MAIL FROM:<>");
    for (let n = 0; n < 10; n++) expect(await smtp.say(`RCPT TO:<${address(0)}>`)).toMatch(/^250 /);
    expect(await smtp.say(`RCPT TO:<${address(0)}>`), "the same one over and over").toMatch(/^452 4\.5\.3 /);
  });

  test("refuses what is too large, by its word and by its bytes, and takes what just fits", async () => {
    await using smtp = await client();
    expect(await smtp.say(`MAIL FROM:<> SIZE=${LIMITS.mail_bytes + 1}`)).toMatch(/^552 5\.3\.4 /);
    expect(await smtp.say(`MAIL FROM:<> SIZE=${LIMITS.mail_bytes}`)).toMatch(/^250 /);
    await smtp.say("RSET");
    const sized = (bytes: number): string => {
      const head = "Subject: size\r\n\r\n";
      const lines = `${"x".repeat(98)}\r\n`.repeat(bytes / 100 + 1);
      return (head + lines).slice(0, bytes - 2).replace(/[\r\n]*$/, (cut) => "y".repeat(cut.length));
    };
    expect(await smtp.send(address(0), sized(LIMITS.mail_bytes + 1))).toMatch(/^552 5\.3\.4 /);
    expect(await smtp.send(address(0), sized(3 * LIMITS.mail_bytes))).toMatch(/^552 5\.3\.4 /);
    expect(await smtp.send(address(0), sized(LIMITS.mail_bytes))).toMatch(/^250 /);
    const [record] = await inbox(mail.board, "name-0");
    expect(record?.content.data).toMatchObject({ size: LIMITS.mail_bytes, truncated: true });
  });

  test("holds senders to the order of commands, takes them in one go, and survives rubbish", async () => {
    await using smtp = await SmtpClient.connect(mail.port);
    expect(await smtp.say("MAIL FROM:<>")).toMatch(/^503 /);
    await smtp.say("EHLO client.example");
    expect(await smtp.say(`RCPT TO:<${address(0)}>`)).toMatch(/^503 /);
    expect(await smtp.say("MAIL FROM:bad")).toMatch(/^501 /);
    smtp.write(`MAIL FROM:<ü@test.example> SMTPUTF8 BODY=8BITMIME\r\nRCPT TO:<${address(0)}>\r\nDATA\r\n`);
    expect([await smtp.reply(), await smtp.reply(), await smtp.reply()]).toEqual([
      expect.stringMatching(/^250 /),
      expect.stringMatching(/^250 /),
      expect.stringMatching(/^354 /),
    ]);
    smtp.write("Subject: Grüße\r\n\r\nin one go\r\n.\r\nMAIL FROM:<>\r\n");
    expect(await smtp.reply()).toMatch(/^250 2\.6\.0 /);
    expect(await smtp.reply()).toMatch(/^250 2\.1\.0 /);
    smtp.write(Buffer.from([0, 255, 254, 13, 10]));
    expect(await smtp.reply()).toMatch(/^500 /);
    smtp.write("x".repeat(5000));
    expect(await smtp.reply()).toMatch(/^421 /);
    expect((await titles())[0]).toBe("Grüße");
  });
});

describe("the end of a message is one sequence and no other", () => {
  const smuggled = (end: string): string =>
    `Subject: outer\r\n\r\nouter text${end}MAIL FROM:<admin@${MAIL_DOMAIN}>\r\nRCPT TO:<${address(1)}>\r\nDATA\r\nSubject: smuggled\r\n\r\ninner\r\n.\r\n`;
  const { must_not_end_data: sequences } = noVectors
    ? { must_not_end_data: ["\n.\n", "\n.\r\n", "\r.\r\n", "\r\n.\n"] }
    : vectorJson<{ must_not_end_data: string[] }>("local/smtp_eod_sequences.json");

  test.for(sequences.map((end) => ({ end, shown: JSON.stringify(end) })))(
    `$shown smuggles no second message in ${WITH_VECTORS}`,
    async ({ end }) => {
      const before = (await titles(1)).length;
      await using smtp = await client();
      for (const line of ["MAIL FROM:<a@test.example>", `RCPT TO:<${address(1)}>`, "DATA"]) await smtp.say(line);
      smtp.write(Buffer.from(smuggled(end), "latin1"));
      const reply = await smtp.reply();
      const bare = /(?<!\r)\n|\r(?!\n)/.test(end);
      if (bare) {
        expect(reply).toMatch(/^554 5\.5\.2 /);
        expect(await smtp.reply()).toBe("");
        expect((await titles(1)).length).toBe(before);
      } else {
        expect(reply).toMatch(/^250 /);
        expect(await titles(1)).toHaveLength(before + 1);
        expect((await inbox(mail.board, "name-1"))[0]?.content.body).toContain("smuggled");
      }
    },
  );

  test("it is found wherever the network cuts it, and dots that are doubled come out single", async () => {
    await using smtp = await client();
    for (const line of ["MAIL FROM:<>", `RCPT TO:<${address(2)}>`, "DATA"]) await smtp.say(line);
    for (const byte of Buffer.from("Subject: bytes\r\n\r\n..\r\n...\r\n.x\r\n\r\n.\r\n")) {
      smtp.write(Uint8Array.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await smtp.reply()).toMatch(/^250 /);
    expect((await inbox(mail.board, "name-2"))[0]?.content.body).toBe(".\n..\n.x");
  });
});

describe("a board that cannot write", () => {
  test("read-only: the sender keeps the message and tries again", async () => {
    await using closed = await mailBoard({ flags: ["--read-only", "on"] });
    await using smtp = await SmtpClient.connect(closed.port, "client.example");
    expect(await smtp.say("MAIL FROM:<>")).toMatch(/^451 4\.3\.0 /);
  });

  test("too much from one address: 451 until it slows down", async () => {
    await using limited = await mailBoard({ flags: ["--rate-limits", "on"] });
    const { board, port } = limited;
    await claim(board, board.agent(), "name-0");
    board.clock.advance(1000);
    const replies: string[] = [];
    for (let n = 0; n < 5; n++) {
      await using smtp = await SmtpClient.connect(port, "client.example");
      for (let i = 0; i < 15; i++) {
        await smtp.say("MAIL FROM:<>");
        replies.push(await smtp.say(`RCPT TO:<${address(0)}>`));
        await smtp.say("RSET");
      }
    }
    expect(replies.filter((reply) => reply.startsWith("250 "))).toHaveLength(60);
    expect(replies.at(-1)).toMatch(/^451 4\.7\.0 /);
    await using patient = await SmtpClient.connect(port, "client.example");
    await patient.say("MAIL FROM:<>");
    for (let i = 0; i < 25; i++) expect(await patient.say(`RCPT TO:<${address(0)}>`)).toMatch(/^451 4\.7\.0 /);
    board.clock.advance(5000);
    expect(await patient.say(`RCPT TO:<${address(0)}>`)).toMatch(/^250 /);
  });
});

describe("mail counts in bytes and on its alias", () => {
  test("an address sends two megabytes at once; a refused mail costs nothing", async () => {
    await using limited = await mailBoard({ flags: ["--rate-limits", "on"] });
    const { board, port } = limited;
    await claim(board, board.agent(), "name-0");
    await using smtp = await SmtpClient.connect(port, "client.example");
    const send = (n: number) => smtp.send(address(0), `Subject: ${n}\r\nMessage-ID: <${n}@test.example>\r\n\r\n${"x ".repeat(300_000)}`);
    const replies: string[] = [];
    for (let n = 0; n < 5; n++) replies.push((await send(n)).slice(0, 9));
    expect(replies).toEqual(["250 2.6.0", "250 2.6.0", "250 2.6.0", "451 4.7.0", "451 4.7.0"]);
    board.clock.advance(60_000);
    expect(await send(9)).toMatch(/^250 /);
  });

  test("an alias receives 60 at once, then one a second, wherever they come from; other aliases receive theirs", async () => {
    await using limited = await mailBoard({ flags: ["--rate-limits", "on"] });
    const { board, port } = limited;
    const agent = board.agent();
    await claim(board, agent, "name-0");
    board.clock.advance(5000);
    await claim(board, agent, "name-1");
    await using smtp = await SmtpClient.connect(port, "client.example");
    const sendTo = (n: number) => smtp.send(address(n), "Subject: x\r\n\r\nx");
    // Two a second, which one address may send.
    let accepted = 0;
    for (; (await sendTo(0)).startsWith("250 "); accepted++) board.clock.advance(500);
    expect(accepted).toBe(119);
    await smtp.say("RSET");
    expect(await sendTo(1)).toMatch(/^250 /);
    board.clock.advance(1000);
    expect(await sendTo(0)).toMatch(/^250 /);
  });
});

describe("each failure behind the server has its reply", () => {
  const clock = new ManualClock();
  const patience = { idleMs: 60_000, dataMs: 60_000, sessionMs: 60_000, closeMs: 100 };
  /** The real server with a mailroom whose reader or store fails as given. */
  async function failing(failure: () => Error, more: Partial<typeof patience> = {}, seats?: SeatLimits, limited = false) {
    const faults: unknown[] = [];
    const server = new SmtpServer({
      mailroom: mailroom({
        store: { alias: async (alias) => ({ alias, agent: "ag_00000000000000000000", claimedAt: 0, expiresAt: 0 }) },
        clock,
        keys: { at: async () => ({ key: signingKey(new Uint8Array(32)) }) },
        reader: { read: () => Promise.reject(failure()), close: async () => {} },
        rates: new RateLimiter(clock, false),
        quota: { require: () => {}, add: () => {} },
        append: () => Promise.reject(new Error("not reached")),
        mailDomain: MAIL_DOMAIN,
        maskSenders: true,
        file: () => Promise.reject(new Error("not reached")),
        requireWritable: () => {},
        requireStore: () => {},
        requireNoSecret: () => {},
        guard: UNGUARDED,
      }),
      mailDomain: MAIL_DOMAIN,
      clock,
      tls: undefined,
      report: { appended: () => {}, mailed: () => {}, failed: (_what, error) => faults.push(error) },
      rates: new RateLimiter(clock, limited),
      patience: { ...patience, ...more },
      ...(seats === undefined ? {} : { seats }),
    });
    const { port } = new URL(await server.start(0, "127.0.0.1"));
    return { server, port: Number(port), faults, [Symbol.asyncDispose]: () => server.stop() };
  }

  test.for([
    [new Refusal("storage_full"), /^451 4\.3\.0 .*full/, 0],
    [new Refusal("storage_unavailable"), /^451 4\.3\.0 /, 0],
    [new Refusal("overloaded"), /^451 4\.3\.0 /, 0],
    [new Refusal("log_rollback"), /^451 4\.3\.0 /, 0],
    [new Refusal("blocked_content"), /^550 5\.7\.1 /, 0],
    [new MailUnreadable("It has too many parts.", false), /^550 5\.6\.0 .*too many parts/, 0],
    [new MailUnreadable("It took too long to parse.", true), /^451 4\.3\.0 /, 0],
    [new Error("secret of the house"), /^451 4\.3\.0 (?!.*secret)/, 1],
  ] as const)("%s", async ([error, reply, faults]) => {
    await using smtpServer = await failing(() => error);
    await using smtp = await SmtpClient.connect(smtpServer.port, "client.example");
    expect(await smtp.send(address(0), "Subject: x\r\n\r\nx")).toMatch(reply);
    expect(smtpServer.faults).toHaveLength(faults);
  });

  test("a silent client, a message that never ends and a long visit are each ended with a word", async () => {
    const error = () => new Error("not reached");
    // This one uses the machine's clock: a silent client cannot be late, however slow the machine is.
    await using silent = await failing(error, { idleMs: 500 });
    const heard: string[] = [];
    for await (const text of connect(silent.port, "127.0.0.1").setEncoding("latin1")) heard.push(String(text));
    expect(heard.join("").trimEnd().split("\r\n").at(-1)).toMatch(/^421 4\.4\.2 /);
    await using endless = await failing(error, { dataMs: 20_000 });
    await using slow = await SmtpClient.connect(endless.port, "client.example");
    for (const line of ["MAIL FROM:<>", `RCPT TO:<${address(0)}>`, "DATA"]) await slow.say(line);
    slow.write("Subject: never\r\n");
    clock.advance(20_000);
    expect(await slow.reply()).toMatch(/^421 4\.4\.2 /);
    await using long = await failing(error, { sessionMs: 30_000 });
    await using guest = await SmtpClient.connect(long.port, "client.example");
    clock.advance(30_000);
    expect(await guest.reply()).toMatch(/^421 4\.4\.2 /);
  });

  test("one address does not take every seat", async () => {
    await using smtpServer = await failing(() => new Error("not reached"));
    const clients = await Promise.all(Array.from({ length: 5 }, () => SmtpClient.connect(smtpServer.port, "client.example")));
    // Refused ones do not count, however many they are and however long they stay connected.
    const refused = await Promise.all(Array.from({ length: 30 }, () => SmtpClient.connect(smtpServer.port)));
    expect(refused.map(({ greeting }) => greeting)).toEqual(refused.map(() => expect.stringMatching(/^421 4\.7\.0 /)));
    expect(smtpServer.server.open).toBe(5);
    await using other = await SmtpClient.connect(smtpServer.port, "client.example", "127.0.0.2");
    expect(other.greeting).toMatch(/^220 /);
    await clients.pop()?.[Symbol.asyncDispose]();
    await eventually("a seat is free again", () => (smtpServer.server.open === 5 ? true : undefined));
    await using next = await SmtpClient.connect(smtpServer.port, "client.example");
    expect(next.greeting).toMatch(/^220 /);
    await Promise.all([...clients, ...refused].map((one) => one[Symbol.asyncDispose]()));
  });

  test("nobody sends commands without end, and the mail of others goes on", async () => {
    await using smtpServer = await failing(() => new Error("not reached"), {}, undefined, true);
    await using flooder = await SmtpClient.connect(smtpServer.port, "client.example");
    flooder.write("NOOP\r\n".repeat(20_000));
    let answered = 0;
    let last = await flooder.reply();
    for (; last.startsWith("250 "); last = await flooder.reply()) answered++;
    expect(last).toMatch(/^421 4\.7\.0 .*commands/);
    // 300 reads, of which a command takes a twentieth.
    expect(answered).toBeGreaterThan(5000);
    expect(answered).toBeLessThan(6000);
    await using again = await SmtpClient.connect(smtpServer.port);
    expect(again.greeting).toMatch(/^421 4\.7\.0 .*commands/);
    await using other = await SmtpClient.connect(smtpServer.port, "client.example", "127.0.0.2");
    expect(await other.say("MAIL FROM:<a@test.example>")).toMatch(/^250 /);
    clock.advance(60_000);
    await using later = await SmtpClient.connect(smtpServer.port, "client.example");
    expect(later.greeting).toMatch(/^220 /);
  });

  test("ten addresses that hold all they may do not keep out the mail of an eleventh", async () => {
    await using smtpServer = await failing(() => new Error("not reached"), {}, { all: 20, perAddress: 5, perNetwork: 20 });
    const from = (n: number) => SmtpClient.connect(smtpServer.port, "client.example", `127.0.0.${n}`);
    const hoarders: SmtpClient[] = [];
    for (let n = 0; n < 20; n++) hoarders.push(await from(10 + (n % 10)));
    await using honest = await from(30);
    expect(await honest.say("MAIL FROM:<a@test.example>")).toMatch(/^250 /);
    // The connection that was closed for it got the reason, and the advice to come again.
    expect(await hoarders[0]!.reply()).toMatch(/^421 4\.3\.2 /);
    expect(smtpServer.server.open).toBe(20);
    await Promise.all(hoarders.map((one) => one[Symbol.asyncDispose]()));
  });
});
