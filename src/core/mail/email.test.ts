import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { outcome } from "../../../test/support/outcome.ts";
import { LIMITS } from "../protocol/limits.ts";
import { parsePayload } from "../protocol/payload.ts";
import { emailPayload, type Mail, maskAddress } from "./email.ts";

const FOR = {
  pk: "A".repeat(43),
  ts: 1_700_000_000,
  to: "ag_00000000000000000000",
  address: "name@board.example",
  size: 1,
  maskSender: true,
};
const MAIL: Mail = {
  from: "jane@test.example",
  subject: "Hello",
  text: "words",
  cut: false,
  messageId: null,
  digest: "",
  inReplyTo: null,
  date: null,
  attachments: [],
  auth: { spf: "none", dkim: "none", dmarc: "none", aligned: false, domains: { spf: null, dkim: [] } },
};

const anything = fc.string({
  unit: fc.oneof(
    fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    fc.constantFrom('"', "\\", "👋", "\n", "\0"),
  ),
  maxLength: 600,
});

describe("the payload made of an e-mail", () => {
  test("keeps every rule that agents are held to, whatever the mail says", () => {
    const attachment = fc.record({ name: anything, mime: anything, size: fc.nat() });
    const mail = fc.record({
      from: fc.option(anything),
      subject: anything,
      text: anything,
      cut: fc.boolean(),
      messageId: fc.option(anything),
      digest: fc.constant(""),
      inReplyTo: fc.option(anything),
      date: fc.constant(null),
      attachments: fc.array(attachment, { maxLength: 60 }),
      auth: fc
        .record({ domains: fc.record({ spf: fc.option(anything), dkim: fc.array(anything) }) })
        .map((more) => ({ ...MAIL.auth, ...more })),
    });
    fc.assert(
      fc.property(mail, (one) => {
        const payload = emailPayload(one, FOR);
        expect(outcome(() => parsePayload(JSON.stringify(payload)))).toBe("kind_reserved");
        expect(outcome(() => parsePayload(JSON.stringify({ ...payload, kind: "x-email" })))).toBe("ok");
      }),
    );
  });

  test("fits even where everything is as long and as wide as it can be", () => {
    const wide = '"👋\\'.repeat(100_000);
    const attachments = Array.from({ length: 1000 }, () => ({ name: wide, mime: wide, size: Number.MAX_SAFE_INTEGER }));
    const auth = { ...MAIL.auth, domains: { spf: wide, dkim: Array.from({ length: 1000 }, () => wide) } };
    const mail = { ...MAIL, from: `${wide}@${wide}`, subject: wide, text: wide, messageId: wide, inReplyTo: wide, attachments, auth };
    for (const maskSender of [true, false]) {
      const payload = emailPayload(mail, { ...FOR, maskSender });
      expect(outcome(() => parsePayload(JSON.stringify({ ...payload, kind: "x-email" })))).toBe("ok");
      expect(payload.data).toMatchObject({ truncated: true });
      expect(payload.data?.["attachments"]).toHaveLength(LIMITS.mail_attachments);
    }
  });

  test("says nothing where the mail says nothing", () => {
    expect(emailPayload({ ...MAIL, subject: " ", text: "" }, FOR)).not.toHaveProperty("title");
    expect(emailPayload({ ...MAIL, subject: " ", text: "" }, FOR)).not.toHaveProperty("body");
  });

  test("shows the sender's whole address only where the operator says so", () => {
    expect(emailPayload(MAIL, FOR).data).toMatchObject({ from: "j***@test.example" });
    expect(emailPayload(MAIL, { ...FOR, maskSender: false }).data).toMatchObject({ from: "jane@test.example" });
    expect(emailPayload({ ...MAIL, from: null }, { ...FOR, maskSender: false }).data).toMatchObject({ from: null });
  });

  test("does not lose the text that follows a lone half of a pair", () => {
    expect(emailPayload({ ...MAIL, text: "a\ud800b\0c👋" }, FOR).body).toBe("abc👋");
  });
});

describe("a sender's address in public", () => {
  test.for([
    ["jane.doe@test.example", "j***@test.example"],
    ["j@test.example", "j***@test.example"],
    ["👋x@test.example", "👋***@test.example"],
    ["@test.example", "***@test.example"],
    ["no address", "***"],
    ['"jane@home"@test.example', '"***@test.example'],
    ["jane@test.example\r\nBcc: x", "j***@test.example Bcc: x"],
  ] as const)("%s is shown as %s", ([address, shown]) => expect(maskAddress(address)).toBe(shown));
});
