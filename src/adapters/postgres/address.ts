// The address of a PostgreSQL server: parses it, and explains what is wrong with an invalid one.

/** Values that the address leaves out come from these variables, as with PostgreSQL's own programs. */
const HOW_TO_WRITE =
  "in a user name or password, write / @ : ? # and % percent-encoded (%2F %40 %3A %3F %23 %25), " +
  "or leave the password out of the address and give it in PGPASSWORD (host, user and database: PGHOST, PGUSER, PGDATABASE)";

export const ADDRESS_HINT = `give postgres://user:password@host:port/database; ${HOW_TO_WRITE}.`;

const PARTS = /^(postgres(?:ql)?:\/\/)([^/?#]*)([^]*)$/;
const SOCKET = /[?&]host=(?:\/|%2f)/i;

/** Whether the text is the address of a server. An `@` after the host is the rest of a password that was cut at its `/`, `?` or `#`. */
export function isAddress(url: string): boolean {
  const [, scheme = "", authority = "", rest = ""] = PARTS.exec(url) ?? [];
  if (scheme === "" || rest.includes("@")) return false;
  const hostAt = authority.lastIndexOf("@") + 1;
  try {
    // Several hosts are separated by commas.
    const { username, password } = new URL(`${scheme}${authority.slice(0, hostAt)}${authority.slice(hostAt).split(",")[0]}${rest}`);
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

/** A server of this machine can be reached by the directory of its socket: `postgres://board@localhost/board?host=/run/postgresql`. */
export function serverOf(url: string): { readonly address: string; readonly socket: string | undefined } {
  if (!isAddress(url)) throw new Error(`The address of the database cannot be read: ${ADDRESS_HINT}`);
  if (!SOCKET.test(url)) return { address: url, socket: undefined };
  const address = new URL(url);
  const socket = address.searchParams.get("host") ?? undefined;
  address.searchParams.delete("host");
  return { address: address.href, socket };
}

/** Likely causes of an unknown host or a wrong password. */
const BADLY_WRITTEN = /ENOTFOUND|EAI_AGAIN|password authentication/;

/** Explains why the database cannot be used, without the address itself, which may contain a password. */
export function unreachable(message: string): Error {
  const hint = BADLY_WRITTEN.test(message) ? ` ${HOW_TO_WRITE.replace("in a", "In a")}.` : "";
  return new Error(`The database cannot be used: ${message}. Check its address (--database-url), and that PostgreSQL runs there.${hint}`);
}
