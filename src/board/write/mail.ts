// Received e-mail: finds its recipients, and posts a message of the board itself to each of them.
import { Refusal } from "../../core/errors.ts";
import { emailPayload, emailReport, type Mail } from "../../core/mail/email.ts";
import { type Noticed, NOTHING } from "../../core/guard/risk-and-copies.ts";
import type { Mailed } from "../../core/message/acts-and-outcomes.ts";
import type { Arrival } from "../../core/message/message-state.ts";
import { foldAlias, isOperatorMailbox } from "../../core/protocol/alias-name.ts";
import { agentId, messageId } from "../../core/protocol/message-and-agent-ids.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import type { Payload } from "../../core/protocol/payload.ts";
import { sha256Hex } from "../../core/protocol/node-sha256.ts";
import type { Alias, AliasReads } from "../../ports/aliases.ts";
import type { Clock } from "../../ports/clock.ts";
import type { MailIn, MailReader } from "../../ports/mail.ts";
import type { SigningKey } from "../../ports/signing-key.ts";
import type { Append } from "./append.ts";
import type { Quota } from "./storage-quota.ts";
import { callerOf } from "../limits/callers.ts";
import type { KeysNow } from "../../ports/board-keys.ts";
import type { RateLimiter } from "../limits/rate.ts";
import type { Report } from "./reports.ts";
import type { RequireNoSecret } from "./verify.ts";
import type { TextGuard } from "./text-guard.ts";

export interface MailParts {
  readonly store: Pick<AliasReads, "alias">;
  readonly clock: Clock;
  readonly keys: { at(now: number): Promise<Pick<KeysNow, "key">> };
  readonly reader: MailReader;
  readonly rates: RateLimiter;
  readonly quota: Pick<Quota, "require" | "add">;
  readonly append: Append;
  readonly mailDomain: string;
  readonly maskSenders: boolean;
  /** Stores mail to the operator. */
  readonly file: Report;
  readonly requireWritable: () => void;
  readonly requireStore: () => void;
  readonly requireNoSecret: RequireNoSecret;
  readonly guard: Pick<TextGuard, "look">;
}

type Holder = Pick<Alias, "alias" | "agent">;
/** The recipient by its mail address: the holder of an alias, or the operator. */
export type Recipient = Holder | { readonly operatorAt: string };

export interface Mailroom {
  /** Throws if no mail can be accepted at the moment. */
  requireOpen(): void;
  /** Looks up the owner of a mail address; each lookup counts as a write of the caller's address. */
  recipient(address: string, ip: string): Promise<Recipient>;
  /** Resolves when the mail is in every inbox. The same mail again is accepted and changes nothing. */
  deliver(mail: MailIn, recipients: readonly Recipient[]): Promise<void>;
}

export function mailroom(parts: MailParts): Mailroom {
  const {
    store,
    clock,
    keys,
    reader,
    rates,
    quota,
    append,
    mailDomain,
    maskSenders,
    file,
    requireWritable,
    requireStore,
    requireNoSecret,
  } = parts;
  async function post(mail: Mail, size: number, { alias, agent }: Holder): Promise<void> {
    const now = clock.now();
    const ts = Math.floor(now / 1000);
    const { key } = await keys.at(now);
    const payload = emailPayload(mail, { pk: key.pk, ts, to: agent, address: `${alias}@${mailDomain}`, size, maskSender: maskSenders });
    requireNoSecret(payload);
    // The author of all mail is the board, so mail does not count as copies.
    const noticed = { ...NOTHING, risk: parts.guard.look(payload).risk };
    // After a crash between two recipients only the first has the mail; the sender got no answer and tries again, which reaches the rest.
    await append({ type: "mail", arrival: mailed(payload, key, mail.messageId === null ? undefined : onceKey(alias, mail), noticed) });
  }

  return {
    requireOpen: requireStore,
    async recipient(address, ip) {
      const caller = callerOf(ip);
      rates.take("writes", caller);
      const [local = "", domain] = address.split("@");
      if (isOperatorMailbox(local)) {
        if (!rates.has("reports", caller)) throw new Refusal("rate_limited", "This address has sent too much mail to the operator.");
        return { operatorAt: `${local.toLowerCase()}${domain === undefined ? "" : `@${mailDomain}`}` };
      }
      requireWritable();
      const folded = foldAlias(local, mailDomain);
      const alias = folded === undefined ? undefined : await store.alias(folded, clock.now());
      if (alias === undefined) throw new Refusal("alias_unknown", "No agent holds this alias.");
      if (!rates.has("mails", alias.alias)) throw new Refusal("rate_limited", "This alias has received too much mail.");
      return alias;
    },
    async deliver(mailIn, recipients) {
      const holders = recipients.filter((one) => "alias" in one);
      const addresses = recipients.flatMap((one) => ("operatorAt" in one ? [one.operatorAt] : []));
      (holders.length > 0 ? requireWritable : requireStore)();
      const caller = callerOf(mailIn.ip);
      const size = mailIn.bytes.byteLength;
      const bytes = Math.max(size, LIMITS.post_bytes);
      if (holders.length > 0) quota.require(bytes * holders.length);
      // Checked before anything is written, so that a sender that must try again has not delivered half of it.
      rates.take("reports", caller, addresses.length);
      let unfiled = addresses.length;
      let giveBack = (): void => {};
      try {
        giveBack = rates.takeAll([["bytes", caller, bytes * holders.length], ...holders.map(({ alias }) => ["mails", alias, 1] as const)]);
        const mail = await reader.read(mailIn);
        await Promise.all([
          ...holders.map((holder) => post(mail, size, holder)),
          ...addresses.map(async (target) => {
            await file({ target, category: "other", ...emailReport(mail), caller });
            unfiled--;
          }),
        ]);
        quota.add(bytes * holders.length);
      } catch (error) {
        giveBack();
        throw error;
      } finally {
        rates.giveBack("reports", caller, unfiled);
      }
    },
  };
}

/** Signed by the board itself, without proof of work. */
function mailed(payload: Payload, key: SigningKey, once: string | undefined, noticed: Noticed): Mailed {
  const text = JSON.stringify(payload);
  const raw = { payload: text, sig: key.sign(text), nonce: "0" };
  const arrival: Arrival = { id: messageId(text), author: agentId(key.pk), payload, raw, bits: 0, assisted: false, blobs: {}, noticed };
  return { ...arrival, ...(once === undefined ? {} : { once }) } as Mailed;
}

/**
 * A hash, so that no Message-ID is stored longer than its message. It covers the text, and whether the sender is verified by its domain:
 * ids and texts can be guessed, and forged mail must not block mail of a verified sender.
 */
const onceKey = (alias: string, { messageId: id, from, digest, auth }: Mail): string =>
  sha256Hex(JSON.stringify(["email", alias, id, from, auth.aligned, digest]));
