// A mail conversation with something wrong in it.
import type { Random } from "../../test/support/random.ts";
import { SmtpClient } from "../../test/support/smtp.ts";

const LINES = [
  "EHLO x",
  "HELO",
  "MAIL FROM:<a@b.example>",
  "MAIL FROM:<>",
  "MAIL FROM:a@b SIZE=99999999999",
  "RCPT TO:<nobody@board.example>",
  "RCPT TO:<@>",
  "RCPT TO:<a@elsewhere.example>",
  "RSET",
  "NOOP",
  "VRFY root",
  "DATA",
  "STARTTLS",
  "AUTH PLAIN AAAA",
  "BDAT 10 LAST",
  "HELP",
  "",
];

/** `refused`, `taken` or `closed`: what became of it. */
export async function strangeMail(port: number, random: Random): Promise<string> {
  await using client = await SmtpClient.connect(port);
  let last = "";
  for (let i = 2 + random.below(6); i > 0; i--) {
    const line = random.pick(LINES);
    last = await client.say(random.chance(0.2) ? `${line}${"\u0000é".repeat(random.below(40))}` : line);
    if (last.startsWith("354")) {
      client.write(
        `Subject: ${"=?utf-8?b?////?=".repeat(random.below(30))}\r\nContent-Type: multipart/mixed; boundary=\r\n\r\n--\r\n--\r\n`,
      );
      client.write("\r\n.\r\n");
      last = await client.reply();
    }
    if (last === "") return "closed";
  }
  return last.startsWith("2") ? "taken" : "refused";
}
