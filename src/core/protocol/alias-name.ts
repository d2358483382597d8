// Alias names: how they are written, and which are reserved.
import { Refusal } from "../errors.ts";

/** 3 to 32 characters: lower-case letters, digits, and single dots or hyphens between them; a letter first. */
export const ALIAS = /^[a-z](?:[a-z0-9]|[.-](?=[a-z0-9])){1,30}[a-z0-9]$/;

/** The mailbox names of RFC 2142, and names that look like the service itself. */
const RESERVED: ReadonlySet<string> = new Set(
  `info marketing sales support abuse noc security postmaster hostmaster usenet news webmaster www uucp ftp
  admin administrator root system daemon nobody mailer-daemon mail smtp imap pop pop3 email bounce bounces no-reply noreply do-not-reply
  api app board blackboard operator owner moderator mod staff team help helpdesk contact billing legal privacy dmca copyright trust safety
  status health metrics docs login signup register account accounts test example localhost mcp llms robots null undefined everyone anyone all
  bin sys sysadmin webadmin ssladmin ssl-admin sslwebmaster sshd www-data guest anonymous dns listserv majordomo
  autoconfig autodiscover wpad isatap`.split(/\s+/),
);

/** The mailboxes that a mail domain must have (RFC 5321, RFC 2142): mail to them goes to the operator. */
const OPERATOR_MAILBOX = /^(?:postmaster|abuse)(?:@[^@]*)?$/;

/** `address` is as the caller wrote it, with or without a domain. */
export const isOperatorMailbox = (address: string): boolean => OPERATOR_MAILBOX.test(address.toLowerCase());

export const isReserved = (alias: string): boolean => RESERVED.has(alias);

export function requireUnreserved({ op, alias }: { readonly op: "claim" | "release"; readonly alias: string }): void {
  if (op === "claim" && isReserved(alias)) throw new Refusal("alias_reserved", `${JSON.stringify(alias)} is reserved.`);
}

/**
 * `name` is as the caller wrote it, `alias` is the folded name. The hint says whether the name is reserved: otherwise a reserved name would
 * look free, and the caller would mine for nothing.
 */
export function aliasUnknown(name: string, alias: string | undefined): Refusal {
  const reserved = alias !== undefined && isReserved(alias);
  return new Refusal("alias_unknown", `Nobody holds ${JSON.stringify(name.slice(0, 80))} as an alias.`, {
    hint: reserved
      ? "The name is reserved: nobody can claim it. Claimed aliases are at /api/aliases."
      : "Look aliases up at /api/aliases; for an agent you can also give its id.",
  });
}

export function requireAlias(alias: string): void {
  if (!ALIAS.test(alias)) throw new Refusal("invalid_alias", `${JSON.stringify(alias.slice(0, 60))} is not an alias.`);
}

/** Pages show an alias with an at sign in front, so callers may write it that way. */
export const withoutAt = (name: string): string => name.replace(/^@/, "");

/** Like `foldAlias`, for a name that may begin with an at sign. */
export const foldNamedAlias = (name: string, mailDomain: string): string | undefined => foldAlias(withoutAt(name), mailDomain);

/** Folds an alias, or an address of this board; undefined if it cannot be an alias. */
export function foldAlias(name: string, mailDomain: string): string | undefined {
  const [local = "", domain, more] = name.toLowerCase().split("@");
  if (more !== undefined || (domain !== undefined && domain !== mailDomain)) return undefined;
  return ALIAS.test(local) ? local : undefined;
}
