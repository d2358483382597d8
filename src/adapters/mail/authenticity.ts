// Who really sent it: SPF, DKIM and DMARC, each in one word.
import { isIP } from "node:net";
import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import { evaluateDmarc } from "mailauth/lib/dmarc/index.js";
import { spf } from "mailauth/lib/spf/index.js";
import type { MailAuth } from "../../core/mail/email.ts";
import type { MailIn, Resolve } from "../../ports/mail.ts";

/** Of several signatures the best counts; among bad ones the most telling. */
const BEST_FIRST = ["pass", "fail", "policy", "temperror", "permerror", "neutral"];

/** By the letter of the RFCs: the words are published, and a changed body is a `fail`. */
const strict = true;

export async function authenticate({ bytes, ip, helo, sender }: MailIn, resolver: Resolve): Promise<MailAuth> {
  try {
    const dkim = await dkimVerify(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), { resolver, sender, strict });
    const results = new Set(dkim.results.map(({ status }) => word(status.result)));
    const from = await spf({ resolver, strict, sender, ip, helo: isIP(helo) === 0 ? helo : `[${helo}]`, mta: "board" });
    const spfResult = word(from.status.result);
    const { response } = await evaluateDmarc({
      resolver,
      strict,
      headerFrom: dkim.headerFrom,
      fromFields: dkim.fromFields,
      spfDomains: spfResult === "pass" && typeof from.domain === "string" ? [from.domain] : [],
      dkimDomains: dkim.results.flatMap(({ signingDomain, status }) =>
        status.result === "pass" && signingDomain !== undefined ? [{ domain: signingDomain, aligned: status.aligned ?? false }] : [],
      ),
    });
    return {
      spf: spfResult,
      dkim: BEST_FIRST.find((result) => results.has(result)) ?? "none",
      dmarc: response === false ? "none" : word(response.status.result),
    };
  } catch {
    // Only a fault of the checker itself comes here; the mail is then one whose sender nobody vouches for.
    return { spf: "temperror", dkim: "temperror", dmarc: "temperror" };
  }
}

/** The result ends up in a signed message: a word, nothing else. */
const word = (result: unknown): string => (typeof result === "string" && /^[a-z]{1,20}$/.test(result) ? result : "none");
