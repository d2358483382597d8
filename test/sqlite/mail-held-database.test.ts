// Mail that comes while another process holds the SQLite file.
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { expect, test } from "vitest";
import { claim, inbox, MAIL_DOMAIN, mailBoard, SmtpClient } from "../support/smtp.ts";

test("a database that another process holds: 451, and the next attempt succeeds", async () => {
  const { board, port } = await mailBoard();
  await claim(board, board.agent(), "name-0");
  const holder = new DatabaseSync(join(board.data, "board.db"));
  holder.exec("BEGIN IMMEDIATE");
  await using smtp = await SmtpClient.connect(port, "client.example");
  const data = "Message-ID: <held@test.example>\r\nSubject: held\r\n\r\nx";
  expect(await smtp.send(`name-0@${MAIL_DOMAIN}`, data)).toMatch(/^451 4\.3\.0 /);
  holder.exec("ROLLBACK");
  holder.close();
  expect(await smtp.send(`name-0@${MAIL_DOMAIN}`, data)).toMatch(/^250 /);
  expect((await inbox(board, "name-0")).map((one) => one.meta.title)).toEqual(["held"]);
  await board[Symbol.asyncDispose]();
});
