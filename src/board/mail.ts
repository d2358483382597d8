// Received e-mail: whom it is for, what it says, and a message of the board's own for each of them.
import { Refusal } from "../core/errors.ts";
import { emailPayload, type Mail } from "../core/mail/email.ts";
import { foldAlias } from "../core/protocol/alias-name.ts";
import { agentId, messageId } from "../core/protocol/identity.ts";
import { sha256Hex } from "../core/protocol/sha256.ts";
import type { Alias } from "../ports/aliases.ts";
import type { Clock } from "../ports/clock.ts";
import type { MailIn, MailReader } from "../ports/mail.ts";
import type { SigningKey } from "../ports/signing-key.ts";
import type { Store } from "../ports/store.ts";
import type { Append } from "./append.ts";
import { callerOf, type RateLimiter } from "./rate.ts";
import type { RequireNoSecret } from "./secrets.ts";

export interface MailParts {
  readonly store: Pick<Store, "alias">;
  readonly clock: Clock;
  readonly key: SigningKey;
  readonly reader: MailReader;
  readonly rates: RateLimiter;
  readonly append: Append;
  readonly mailDomain: string;
  readonly maskSenders: boolean;
  readonly requireWritable: () => void;
  readonly requireNoSecret: RequireNoSecret;
}

export type Recipient = Pick<Alias, "alias" | "agent">;

export interface Mailroom {
  /** Throws where nothing can be taken at the moment. */
  requireOpen(): void;
  /** Who holds a name; each question counts as a write of the address it comes from. */
  recipient(name: string, ip: string): Promise<Recipient>;
  /** In every inbox when it resolves. A mail that has come before is in order: it is there already. */
  deliver(mail: MailIn, recipients: readonly Recipient[]): Promise<void>;
}

export function mailroom(parts: MailParts): Mailroom {
  const { store, clock, key, reader, rates, append, mailDomain, maskSenders, requireWritable, requireNoSecret } = parts;
  const author = agentId(key.pk);

  async function post(mail: Mail, size: number, { alias, agent }: Recipient): Promise<void> {
    const ts = Math.floor(clock.now() / 1000);
    const payload = emailPayload(mail, { pk: key.pk, ts, to: agent, address: `${alias}@${mailDomain}`, size, maskSender: maskSenders });
    requireNoSecret(payload);
    const text = JSON.stringify(payload);
    const raw = { payload: text, sig: key.sign(text), nonce: "0" };
    const arrival = { id: messageId(text), author, payload, raw, bits: 0, assisted: false, blobs: {} };
    const once = mail.messageId === null ? {} : { once: onceKey(alias, mail.messageId) };
    // A crash between two recipients leaves the first with the mail; the sender was not answered, and its next try reaches the rest.
    await append({ type: "post", arrival: { ...arrival, ...once }, dryRun: false });
  }

  return {
    requireOpen: requireWritable,
    async recipient(name, ip) {
      rates.take("writes", callerOf(ip));
      const folded = foldAlias(name, mailDomain);
      const alias = folded === undefined ? undefined : await store.alias(folded, clock.now());
      if (alias === undefined) throw new Refusal("alias_unknown", "No agent holds this alias.");
      return alias;
    },
    async deliver(mailIn, recipients) {
      requireWritable();
      const mail = await reader.read(mailIn);
      await Promise.all(recipients.map((recipient) => post(mail, mailIn.bytes.byteLength, recipient)));
    },
  };
}

/** A hash, so that no Message-ID outlives the message that carried it. */
const onceKey = (alias: string, id: string): string => sha256Hex(`email\n${alias}\n${id}`);
