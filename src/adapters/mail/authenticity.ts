// The authenticity of a mail: the results of SPF, DKIM and DMARC, and whether the domain that passed is the one shown to readers.
import { isIP } from "node:net";
import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import { evaluateDmarc } from "mailauth/lib/dmarc/index.js";
import { spf } from "mailauth/lib/spf/index.js";
import { formatDomain, getAlignment } from "mailauth/lib/tools.js";
import type { MailAuth } from "../../core/mail/email.ts";
import type { MailIn, Resolve } from "../../ports/mail.ts";

/** The order of results: of several signatures the best counts, among bad ones the most informative. */
const BEST_FIRST = ["pass", "fail", "policy", "temperror", "permerror", "neutral"];

/** Results as the RFCs define them, because they are published; a changed body is a `fail`. */
const strict = true;

/** `shown` is the address in From that readers will see. */
export async function authenticate({ bytes, ip, helo, sender }: MailIn, shown: string | null, resolver: Resolve): Promise<MailAuth> {
  try {
    const dkim = await dkimVerify(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), { resolver, sender, strict });
    const results = new Set(dkim.results.map(({ status }) => word(status.result)));
    const from = await spf({ resolver, strict, sender, ip, helo: isIP(helo) === 0 ? helo : `[${helo}]`, mta: "board" });
    const spfResult = word(from.status.result);
    const spfDomains = spfResult === "pass" && typeof from.domain === "string" ? [formatDomain(from.domain)] : [];
    const signed = dkim.results.filter(({ signingDomain, status }) => status.result === "pass" && signingDomain !== undefined);
    const { response } = await evaluateDmarc({
      resolver,
      strict,
      headerFrom: dkim.headerFrom,
      fromFields: dkim.fromFields,
      spfDomains,
      dkimDomains: signed.map(({ signingDomain = "", status }) => ({ domain: signingDomain, aligned: status.aligned ?? false })),
    });
    const dmarc = response === false ? "none" : word(response.status.result);
    const author = response === false ? undefined : authorShown(response.status.header?.from, shown);
    const aligned = (domain: string): boolean => author !== undefined && isAligned(domain, author, dmarc);
    const domainOf = ({ signingDomain = "" }: (typeof signed)[number]): string => formatDomain(signingDomain);
    // If only a part of the text is signed, anybody can add to it.
    const whole = signed.filter(({ status }) => (status.underSized ?? 0) === 0).map(domainOf);
    const signers = [...new Set(signed.map(domainOf))];
    return {
      spf: spfResult,
      dkim: BEST_FIRST.find((result) => results.has(result)) ?? "none",
      dmarc,
      aligned: [...spfDomains, ...whole].some(aligned),
      domains: { spf: spfDomains[0] ?? null, dkim: signers.toSorted((a, b) => Number(aligned(b)) - Number(aligned(a))) },
    };
  } catch {
    // Only an error of the checker itself comes here; the sender then counts as unverified.
    return { spf: "temperror", dkim: "temperror", dmarc: "temperror", aligned: false, domains: { spf: null, dkim: [] } };
  }
}

/** The domain of From, if the checker and the parser found the same one: a field that two programs read differently is forged. */
function authorShown(checked: unknown, shown: string | null): string | undefined {
  if (typeof checked !== "string" || shown === null) return undefined;
  const author = formatDomain(checked);
  return author !== "" && formatDomain(shown.slice(shown.lastIndexOf("@") + 1)) === author ? author : undefined;
}

/**
 * The same domain, or another one of the same organisation if its DMARC policy is relaxed. If the policy could not be read, it counts as
 * strict, because a sender can prevent the reading.
 */
const isAligned = (domain: string, author: string, dmarc: string): boolean =>
  domain === author || ((dmarc === "pass" || dmarc === "none") && getAlignment(author, [domain]) !== false);

/** The result becomes part of a signed message, so only known words are accepted. */
const word = (result: unknown): string => (typeof result === "string" && /^[a-z]{1,20}$/.test(result) ? result : "none");
