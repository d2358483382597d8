// Whether a pass is of the From's own domain: readers must not see somebody else's good name for a sender.
import { generateKeyPairSync } from "node:crypto";
import { dkimSign } from "mailauth/lib/dkim/sign.js";
import { describe, expect, test } from "vitest";
import type { MailAuth } from "../../core/mail/email.ts";
import type { Resolve } from "../../ports/mail.ts";
import { authenticate } from "./authenticity.ts";
import { readMime } from "./mime.ts";

const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const DKIM_KEY = `v=DKIM1; k=rsa; p=${publicKey.export({ type: "spki", format: "der" }).toString("base64")}`;
const SPF_PASS = "v=spf1 ip4:192.0.2.1 -all";

/** Every domain lets this client send and has the key; policies are those given, `slow` ones are not answered. */
const zone =
  (policies: Readonly<Record<string, string>>): Resolve =>
  async (name, type) => {
    const policy = name.startsWith("_dmarc.") ? policies[name.slice("_dmarc.".length)] : undefined;
    if (policy === "slow") throw Object.assign(new Error("late"), { code: "ETIMEOUT" });
    if (type === "TXT" && policy !== undefined) return [[policy]];
    if (type === "TXT" && name.includes("._domainkey.")) return [[DKIM_KEY]];
    if (type === "TXT" && !name.startsWith("_dmarc.")) return [[SPF_PASS]];
    throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
  };

interface Sent {
  /** Whole header fields. */
  readonly from: string;
  readonly sender?: string;
  readonly signers?: readonly string[];
  /** So many bytes of the text are signed; all unless given. */
  readonly signed?: number;
  readonly policies?: Readonly<Record<string, string>>;
}

async function judged({ from, sender = "", signers = [], signed, policies = {} }: Sent): Promise<MailAuth> {
  const text = `${from}\r\nSubject: x\r\nDate: Mon, 4 May 2026 03:02:01 +0000\r\n\r\nsigned words\r\nand more of them\r\n`;
  const key = privateKey.export({ type: "pkcs1", format: "pem" });
  const signatureData = signers.map((signingDomain) => ({
    signingDomain,
    selector: "s1",
    privateKey: key,
    ...(signed === undefined ? {} : { maxBodyLength: signed }),
  }));
  const { signatures } = signers.length === 0 ? { signatures: "" } : await dkimSign(text, { ...signatureData[0]!, signatureData });
  const bytes = Buffer.from(signatures + text);
  const shown = (await readMime(bytes)).from;
  // Nobody lets the client of a mail without a sender send.
  const helo = sender === "" ? "[192.0.2.1]" : "client.example";
  return authenticate({ bytes, ip: "192.0.2.1", helo, sender }, shown, zone(policies));
}

describe("a pass that is of the From's own domain", () => {
  test.for<[string, Sent, Partial<MailAuth>]>([
    ["by SPF", { from: "From: a@shop.example", sender: "b@shop.example" }, { domains: { spf: "shop.example", dkim: [] } }],
    ["by DKIM", { from: "From: a@SHOP.example.", signers: ["shop.example"] }, { domains: { spf: null, dkim: ["shop.example"] } }],
    ["of a part of the same organisation", { from: "From: a@news.shop.example", sender: "b@mail.shop.example" }, {}],
    [
      "of one among several signatures, named first",
      { from: "From: a@shop.example", signers: ["list.example", "relay.example", "shop.example"] },
      { domains: { spf: null, dkim: ["shop.example", "list.example", "relay.example"] } },
    ],
    [
      "where the policy cannot be read, and it is the very domain",
      { from: "From: a@shop.example", sender: "b@shop.example", policies: { "shop.example": "slow" } },
      { dmarc: "temperror" },
    ],
  ])("%s: the sender is verified", async ([, sent, more]) => {
    expect(await judged(sent)).toMatchObject({ aligned: true, ...more });
  });
});

describe("somebody else's pass", () => {
  test.for<[string, Sent, Partial<MailAuth>]>([
    [
      "another domain's, of SPF and DKIM alike",
      { from: "From: CEO <ceo@bank.example>", sender: "x@evil.example", signers: ["evil.example"] },
      { spf: "pass", dkim: "pass", dmarc: "none", domains: { spf: "evil.example", dkim: ["evil.example"] } },
    ],
    ["of a domain that only ends alike", { from: "From: a@bank.example", signers: ["evilbank.example"] }, { dkim: "pass" }],
    ["of a neighbour under a public suffix", { from: "From: a@one.co.uk", sender: "b@two.co.uk" }, { spf: "pass" }],
    ["of a neighbour at the same host of many", { from: "From: a@one.github.io", signers: ["two.github.io"] }, { dkim: "pass" }],
    [
      "of a part of the organisation, where its policy asks for the very domain",
      { from: "From: a@shop.example", sender: "b@mail.shop.example", policies: { "shop.example": "v=DMARC1; p=none; aspf=s; adkim=s" } },
      { spf: "pass", dmarc: "fail" },
    ],
    [
      "of a part of the organisation, where its policy cannot be read",
      { from: "From: a@shop.example", sender: "b@mail.shop.example", policies: { "shop.example": "slow" } },
      { spf: "pass", dmarc: "temperror" },
    ],
    ["beside two From fields", { from: "From: a@bank.example\r\nFrom: a@evil.example", signers: ["evil.example"] }, { dkim: "pass" }],
    ["beside authors of two domains", { from: "From: a@bank.example, b@evil.example", signers: ["evil.example"] }, { dkim: "pass" }],
    ["beside no From at all", { from: "X-Not-From: a@evil.example", sender: "a@evil.example" }, { spf: "pass" }],
    ["beside words in place of an address", { from: "From: Your Bank", sender: "a@evil.example" }, { spf: "pass" }],
    [
      "over a part of the text, to which anybody can add",
      { from: "From: a@bank.example", signers: ["bank.example"], signed: 12 },
      { dkim: "pass" },
    ],
  ])("%s: the sender is unverified", async ([, sent, more]) => {
    expect(await judged(sent)).toMatchObject({ aligned: false, ...more });
  });

  test("nobody passes where nobody vouches, and nobody is named", async () => {
    expect(await judged({ from: "From: a@bank.example" })).toMatchObject({ aligned: false, domains: { spf: null, dkim: [] } });
  });
});
