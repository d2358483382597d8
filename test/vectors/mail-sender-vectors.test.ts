// Public suites of SPF and ARC: each case as a mail through the real server, and each SPF verdict as in the RFC.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { mailReader } from "../../src/adapters/mail/reader-pool.ts";
import type { Resolve } from "../../src/ports/mail.ts";
import { PATIENT_READING } from "../support/board.ts";
import { claim, MAIL_DOMAIN, type MailBoard, mailBoard, SmtpClient, stuffed, zone } from "../support/smtp.ts";
import { noVectors, vectorBytes, vectorJson, WITH_VECTORS } from "../support/vectors.ts";

type Data = string | readonly string[] | readonly [number, string];
interface SpfSuite {
  readonly description: string;
  readonly tests: Readonly<Record<string, { helo: string; host: string; mailfrom: string; result: string | string[] }>>;
  readonly zonedata: Readonly<Record<string, readonly ("TIMEOUT" | Readonly<Record<string, Data>>)[]>>;
}
interface ArcSuite {
  readonly description: string;
  readonly tests: Readonly<Record<string, { message: string }>>;
  readonly "txt-records": Readonly<Record<string, string>>;
}

const SPF = noVectors
  ? []
  : parseAllDocuments(vectorBytes("spf_dmarc/rfc7208-tests.yml").toString("utf8"), { uniqueKeys: false }).flatMap((document) => {
      const suite = document.toJS() as SpfSuite | null;
      return suite === null ? [] : [suite];
    });
const ARC = noVectors ? [] : vectorJson<ArcSuite[]>("spf_dmarc/arc-draft-validation-tests.json");

const dnsError = (code: string): Error => Object.assign(new Error(code), { code });

/** In the suite's zones, `TIMEOUT` stands for all records that are not listed, and a record of the old type SPF for a missing TXT. */
function suiteZone({ zonedata }: SpfSuite): Resolve {
  const names = new Map(Object.entries(zonedata).map(([name, records]) => [name.toLowerCase(), records]));
  return async (name, type) => {
    const records = names.get(name.toLowerCase().replace(/\.$/, ""));
    if (records === undefined) throw dnsError("ENOTFOUND");
    const of = (wanted: string): Data[] => records.flatMap((one) => (one === "TIMEOUT" || one[wanted] === undefined ? [] : [one[wanted]]));
    const listed = of(type);
    const found = (type === "TXT" && listed.length === 0 ? of("SPF") : listed).filter((one) => one !== "NONE");
    if (found.includes("TIMEOUT") || (found.length === 0 && records.includes("TIMEOUT"))) throw dnsError("ETIMEOUT");
    if (found.length === 0) throw dnsError("ENODATA");
    if (type === "TXT") return found.map((one) => (typeof one === "string" ? [one] : one)) as string[][];
    // As Node's resolver answers: an object for each MX.
    if (type === "MX") return found.map((one) => ({ priority: one[0], exchange: one[1] })) as unknown as string[][];
    return found as string[];
  };
}

let resolve: Resolve = zone({});
const current: Resolve = (name, type) => resolve(name, type);

describe.skipIf(noVectors)(`what senders' domains say ${WITH_VECTORS}`, () => {
  const faults: unknown[] = [];
  const reader = mailReader(current, { appended: () => {}, failed: (_what, error) => faults.push(error) }, PATIENT_READING);
  let mail: MailBoard;
  beforeAll(async () => {
    mail = await mailBoard({ resolve: current });
    await claim(mail.board, mail.board.agent(), "reader");
  });
  afterAll(async () => {
    await reader.close();
    await mail.board[Symbol.asyncDispose]();
  });

  test("there is some", () => {
    expect(SPF.length).toBeGreaterThan(10);
    expect(ARC.length).toBeGreaterThan(0);
  });

  test.for(SPF)("SPF, $description: a reader is told what the RFC says", async (suite) => {
    resolve = suiteZone(suite);
    for (const [name, { helo, host, mailfrom, result }] of Object.entries(suite.tests)) {
      const bytes = Buffer.from("Subject: x\r\n\r\nx");
      const { auth } = await reader.read({ bytes, ip: host, helo, sender: mailfrom });
      expect([result].flat(), name).toContain(auth.spf);
    }
    expect(faults).toEqual([]);
  });

  test.for(SPF)("SPF, $description: no sender's name or zone keeps the server from answering", async (suite) => {
    resolve = suiteZone(suite);
    await using smtp = await SmtpClient.connect(mail.port);
    for (const [name, { helo, mailfrom }] of Object.entries(suite.tests)) {
      await smtp.say(`EHLO ${helo}`);
      // A sender that is not an address is already refused by the command.
      expect(await smtp.send(`reader@${MAIL_DOMAIN}`, "Subject: x\r\n\r\nx", mailfrom), name).toMatch(/^(250 2\.6\.0|50[13] 5\.)/);
    }
  });

  test.for(ARC)("ARC: every message of suite $description arrives", async (suite) => {
    const records = Object.entries(suite["txt-records"]).map(([name, text]): [string, string[][]] => [`${name} TXT`, [[text]]]);
    resolve = zone(Object.fromEntries(records));
    await using smtp = await SmtpClient.connect(mail.port, "client.example");
    for (const [name, { message }] of Object.entries(suite.tests)) {
      const bytes = stuffed(Buffer.from(message.replaceAll(/\r?\n/g, "\r\n")));
      expect(await smtp.send(`reader@${MAIL_DOMAIN}`, bytes, "sender@test.example"), name).toMatch(/^250 2\.6\.0 /);
    }
  });
});
