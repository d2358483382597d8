// Received e-mail: whom it is for, what it says, and a message of the board's own for each of them.
import { Refusal } from "../../core/errors.ts";
import { emailPayload, emailReport, type Mail } from "../../core/mail/email.ts";
import { type Noticed, NOTHING } from "../../core/guard/noticed.ts";
import type { Mailed } from "../../core/message/act.ts";
import type { Arrival } from "../../core/message/message-state.ts";
import { foldAlias, isOperatorMailbox } from "../../core/protocol/alias-name.ts";
import { agentId, messageId } from "../../core/protocol/identity.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import type { Payload } from "../../core/protocol/payload.ts";
import { sha256Hex } from "../../core/protocol/sha256.ts";
import type { Alias } from "../../ports/aliases.ts";
import type { AliasReads } from "../../ports/aliases.ts";
import type { Clock } from "../../ports/clock.ts";
import type { MailIn, MailReader } from "../../ports/mail.ts";
import type { SigningKey } from "../../ports/signing-key.ts";
import type { Append } from "./append.ts";
import type { Quota } from "./quota.ts";
import { callerOf } from "../limits/callers.ts";
import type { KeysNow } from "../../ports/board-keys.ts";
import type { RateLimiter } from "../limits/rate.ts";
import type { Report } from "./reports.ts";
import type { RequireNoSecret } from "./secrets.ts";
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
  /** Keeps what is for the operator. */
  readonly file: Report;
  readonly requireWritable: () => void;
  readonly requireStore: () => void;
  readonly requireNoSecret: RequireNoSecret;
  readonly guard: Pick<TextGuard, "look">;
}

type Holder = Pick<Alias, "alias" | "agent">;
/** The holder of an alias, or the operator of the board, by the address that was written. */
export type Recipient = Holder | { readonly operatorAt: string };

export interface Mailroom {
  /** Throws where nothing can be taken at the moment. */
  requireOpen(): void;
  /** Whose an address of this board is; each question counts as a write of the address it comes from. */
  recipient(address: string, ip: string): Promise<Recipient>;
  /** In every inbox, and before the operator, when it resolves. The same mail once more is in order: it is there already. */
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
    // All mail is of one author, the board: nobody's copy.
    const noticed = { ...NOTHING, risk: parts.guard.look(payload).risk };
    // A crash between two recipients leaves the first with the mail; the sender was not answered, and its next try reaches the rest.
    await append({ type: "mail", arrival: mailed(payload, key, mail.messageId === null ? undefined : onceKey(alias, mail), noticed) });
  }

  return {
    requireOpen: requireStore,
    async recipient(address, ip) {
      const caller = callerOf(ip);
      rates.take("writes", caller);
      const [local = "", domain] = address.split("@");
      if (isOperatorMailbox(local)) {
        if (!rates.has("reports", caller)) throw new Refusal("rate_limited", "This address has sent the operator enough for now.");
        return { operatorAt: `${local.toLowerCase()}${domain === undefined ? "" : `@${mailDomain}`}` };
      }
      requireWritable();
      const folded = foldAlias(local, mailDomain);
      const alias = folded === undefined ? undefined : await store.alias(folded, clock.now());
      if (alias === undefined) throw new Refusal("alias_unknown", "No agent holds this alias.");
      if (!rates.has("mails", alias.alias)) throw new Refusal("rate_limited", "This alias has received enough for now.");
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
      // Before anything is written: who has to come again must not find half of it done.
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

/** Signed by the board itself, which owes itself no work. */
function mailed(payload: Payload, key: SigningKey, once: string | undefined, noticed: Noticed): Mailed {
  const text = JSON.stringify(payload);
  const raw = { payload: text, sig: key.sign(text), nonce: "0" };
  const arrival: Arrival = { id: messageId(text), author: agentId(key.pk), payload, raw, bits: 0, assisted: false, blobs: {}, noticed };
  return { ...arrival, ...(once === undefined ? {} : { once }) } as Mailed;
}

/**
 * A hash, so that no Message-ID outlives the message that carried it. Ids can be guessed, and so can texts: neither another text under
 * somebody's id nor a forged copy keeps out the mail that its sender's domain vouches for.
 */
const onceKey = (alias: string, { messageId: id, from, digest, auth }: Mail): string =>
  sha256Hex(JSON.stringify(["email", alias, id, from, auth.aligned, digest]));
