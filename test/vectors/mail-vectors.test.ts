import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parsePayload } from "../../src/core/protocol/payload.ts";
import { outcome } from "../support/outcome.ts";
import { claim, inbox, MAIL_DOMAIN, type MailBoard, mailBoard, SmtpClient, stuffed } from "../support/smtp.ts";
import { noVectors, vectorBytes, vectorFiles, WITH_VECTORS } from "../support/vectors.ts";

const FILES = noVectors ? [] : ["mime/mailparser/test/fixtures", "mime/mailauth/test/fixtures"].flatMap((folder) => vectorFiles(folder));
const TO = `reader@${MAIL_DOMAIN}`;

describe.skipIf(noVectors)(`mail that broke other readers ${WITH_VECTORS}`, () => {
  let mail: MailBoard;
  beforeAll(async () => {
    mail = await mailBoard();
    await claim(mail.board, mail.board.agent(), "reader");
  });
  afterAll(() => mail.board[Symbol.asyncDispose]());

  test("there is some", () => expect(FILES.length).toBeGreaterThan(10));

  test.for(FILES)("%s is answered, and the board goes on taking mail", async (file) => {
    const before = (await inbox(mail.board, "reader")).length;
    await using smtp = await SmtpClient.connect(mail.port, "client.example");
    const bytes = stuffed(vectorBytes(file));
    const reply = await smtp.send(TO, bytes, "sender@test.example");
    expect(reply).toMatch(/^(250 2\.6\.0|550 5\.6\.0|552 5\.3\.4) /);
    const found = await inbox(mail.board, "reader");
    expect(found).toHaveLength(reply.startsWith("250") ? before + 1 : before);
    for (const { raw } of found) expect(outcome(() => parsePayload(raw.payload))).toBe("kind_reserved");
    expect(await smtp.send(TO, `Message-ID: <after-${before}@test.example>\r\n\r\nstill here`)).toMatch(/^250 /);
  });
});
