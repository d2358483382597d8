// Faulty mail conversations: commands out of order, everything at once, and messages that break parsers.
import type { Random } from "../../test/support/random.ts";
import { SmtpClient } from "../../test/support/smtp.ts";
import { heavyText, VALUES } from "./fuzz-texts.ts";

export const READER = "reader@board.example";
const LINES = [
  "EHLO x",
  "EHLO [IPv6:::1]",
  "HELO",
  "HELO x",
  "LHLO x",
  "MAIL FROM:<a@b.example>",
  "MAIL FROM:<>",
  "MAIL FROM:<> BODY=8BITMIME SMTPUTF8",
  "MAIL FROM:a@b SIZE=99999999999",
  "MAIL FROM:<@a,@b:c@d>",
  "MAIL",
  `RCPT TO:<${READER}>`,
  "RCPT TO:<READER@BOARD.EXAMPLE>",
  "RCPT TO:<reader+tag@board.example>",
  "RCPT TO:<nobody@board.example>",
  "RCPT TO:<@>",
  'RCPT TO:<"reader"@board.example>',
  "RCPT TO:<a@elsewhere.example>",
  `RCPT TO:<${"a".repeat(1000)}@board.example>`,
  "RSET",
  "NOOP",
  "VRFY root",
  "EXPN x",
  "DATA",
  "STARTTLS",
  "AUTH PLAIN AAAA",
  "BDAT 10 LAST",
  "XCLIENT ADDR=1.2.3.4",
  "HELP",
  "GET / HTTP/1.1",
  "",
];
const MOST = 200_000;

/** Resolves with the result of the last reply, as `replyClass` names it. */
export async function fuzzMail(port: number, random: Random): Promise<string> {
  await using client = await SmtpClient.connect(port);
  return random.chance(0.4) ? nonsense(client, random) : replyClass(await deliver(client, fuzzMessage(random), random));
}

/** Delivers a message correctly, whatever it contains. */
export async function deliver(client: SmtpClient, message: Buffer, random: Random): Promise<string> {
  const sender = random.pick(["", "", "a@b.example", "é@x.example"]);
  await client.say(random.pick(["EHLO x", "HELO x"]));
  return client.send(READER, message, sender);
}

/** The first digit of a reply, `451` for a fault of the board, or `closed`. */
export function replyClass(reply: string): string {
  if (reply === "") return "closed";
  return reply.startsWith("451") ? "451" : `${reply.slice(0, 1)}xx`;
}

async function nonsense(client: SmtpClient, random: Random): Promise<string> {
  let last = "";
  for (let i = 2 + random.below(10); i > 0; i--) {
    const line = random.pick(LINES);
    if (random.chance(0.1)) {
      // Sends everything at once, without waiting for replies.
      client.write(Array.from({ length: 1 + random.below(50) }, () => `${random.pick(LINES)}\r\n`).join(""));
      client.write("\r\n.\r\nQUIT\r\n");
      while ((last = await client.reply()) !== "") if (last.startsWith("221")) return "2xx";
      return "closed";
    }
    if (random.chance(0.05)) client.write(random.bytes(random.below(3000)));
    last = await client.say(random.chance(0.2) ? `${line}${random.pick(VALUES)}` : line);
    if (last.startsWith("354")) {
      client.write(fuzzMessage(random));
      client.write("\r\n.\r\n");
      last = await client.reply();
    }
    if (last === "") break;
  }
  return replyClass(last);
}

const CHARSETS = ["utf-8", "utf-16", "utf-7", "iso-2022-jp", "gb18030", "x-unknown", "us-ascii", "", "\u0000"];
const CODINGS = ["base64", "quoted-printable", "7bit", "8bit", "binary", "x-uuencode", "gzip", ""];

/** With correct line ends, and without a line that ends the message. */
export function fuzzMessage(random: Random): Buffer {
  const text = random
    .pick(SHAPES)(random)
    .replaceAll(/\r\n|\r|\n/g, "\r\n");
  return Buffer.from(text.replaceAll(/^\./gm, ".."), "utf8");
}

const SHAPES: readonly ((random: Random) => string)[] = [
  (random) => `Subject: ${heavyText(random, 2000)}\n\n${heavyText(random, MOST)}`,
  (random) => `Subject: ${random.pick(["=?utf-8?b?////?=", "=?x?q?=?=", "=?utf-8?q?=C3?= "]).repeat(random.below(3000))}\n\nx`,
  (random) => typed(random, "text/html", html(random)),
  (random) => typed(random, "text/plain", heavyText(random, MOST)),
  (random) => `${"Received: x\n".repeat(random.below(20_000))}\n`,
  (random) => `${"x".repeat(random.below(5000))}: ${"y ".repeat(random.below(40_000))}\n\n`,
  (random) => `From: ${`${random.pick(["a@b", '"', "(", "<", "=?", "a:"])},`.repeat(random.below(10_000))}\nTo: ;\n\nx`,
  (random) => `Content-Type: multipart/mixed; boundary=b\n\n${"--b\n\n".repeat(random.below(20_000))}`,
  (random) => nestedParts(1 + random.below(random.chance(0.5) ? 20 : 2000)),
  (random) => `${"Content-Type: message/rfc822\n\n".repeat(random.below(3000))}x`,
  (random) => `Content-Type: multipart/mixed; boundary="${random.pick(["", " ", "-", "b".repeat(5000)])}"\n\n--\n--b--\n`,
  (random) =>
    `Content-Type: ${heavyText(random, 3000)}\nContent-Disposition: attachment; ${'filename*0="a";'.repeat(random.below(3000))}\n\nx`,
  (random) =>
    `DKIM-Signature: v=1; a=rsa-sha256; d=b.example; s=${random.pick(VALUES)}; h=${"from:".repeat(random.below(3000))}; bh=; b=\n\nx`,
  (random) => `${"DKIM-Signature: v=1; a=rsa-sha256; d=b.example; s=s; h=from; bh=AA==; b=AA==\n".repeat(random.below(200))}\nx`,
  (random) =>
    `Message-ID: ${random.pick(VALUES)}\nIn-Reply-To: ${random.pick(VALUES)}\nDate: ${random.pick(VALUES)}\n\n${random.pick(VALUES)}`,
  (random) => Buffer.from(random.bytes(random.below(3000))).toString("latin1"),
  () => "",
];

const typed = (random: Random, type: string, text: string): string =>
  `Content-Type: ${type}; charset=${random.pick(CHARSETS)}\nContent-Transfer-Encoding: ${random.pick(CODINGS)}\n\n${text}`;

const html = (random: Random): string =>
  random
    .pick(["<div>", "<b><i>", "<table><td>", "<a href='", "<!--", "<![CDATA[", "&amp;", "&#x41;", "<script>", "<", "</p>", "<p "])
    .repeat(random.below(30_000));

function nestedParts(depth: number): string {
  let text = "x";
  for (let i = 0; i < depth; i++) text = `Content-Type: multipart/mixed; boundary=b${i}\n\n--b${i}\n${text}\n--b${i}--\n`;
  return text.slice(0, MOST * 3);
}
