// Requests to configured addresses: never to a private network unless that is allowed, not even if a host name resolves to one.
import { lookup } from "node:dns";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { promisify } from "node:util";

export class PrivateAddress extends Error {
  constructor(host: string) {
    super(`${host} is not a public address, or resolves to one that is not: if that is intended, set \`allow_private\``);
  }
}

/** IANA's special-purpose registries, and IPv6 networks whose addresses contain an IPv4 address. */
const NOT_PUBLIC = {
  ipv4:
    "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 " +
    "192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3",
  ipv6:
    "::/96 ::ffff:0:0/96 64:ff9b::/32 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 " +
    "ff00::/8",
};
/** One list for each family: in a common list, the network of IPv4-mapped addresses would contain every IPv4 address. */
const notPublic = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const family of ["ipv4", "ipv6"] as const)
  for (const network of NOT_PUBLIC[family].split(" ")) {
    const [address = "", bits] = network.split("/");
    notPublic[family].addSubnet(address, Number(bits), family);
  }

export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  const family = version === 4 ? "ipv4" : "ipv6";
  return version !== 0 && !notPublic[family].check(address, family);
}

/** Checks the addresses that a name resolves to, and connects to exactly these, so that a second lookup cannot change them. */
const publicLookup: LookupFunction = (host, options, callback) => {
  lookup(host, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? [];
    if (error !== null || first === undefined) callback(error ?? new Error(`${host} has no address`), "", 0);
    else if (!addresses.every(({ address }) => isPublicAddress(address))) callback(new PrivateAddress(host), "", 0);
    else if (options.all === true) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};

export interface PostRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly allowPrivate: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface Answered {
  readonly status: number;
  readonly retryAfterS: number | undefined;
}

/** Rejects if no answer came. Redirects are not followed; they are answers like any other. */
export async function postTo({ url, headers, body, allowPrivate, timeoutMs, signal }: PostRequest): Promise<Answered> {
  if (!allowPrivate) requirePublicLiteral(url);
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  const late = AbortSignal.timeout(timeoutMs);
  const sent = send(
    url,
    {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": "agent-blackboard-courier",
        ...headers,
        "content-length": Buffer.byteLength(body),
      },
      signal: AbortSignal.any([signal, late]),
      agent: false,
      ...(allowPrivate ? {} : { lookup: publicLookup }),
    },
    (answer) => {
      // The body is not needed, and may be long.
      answer.on("error", () => {}).resume();
      const after = Number(answer.headers["retry-after"]);
      resolve({ status: answer.statusCode ?? 0, retryAfterS: Number.isFinite(after) && after > 0 ? after : undefined });
      answer.once("end", () => sent.destroy());
    },
  );
  sent.on("error", (error) => reject(late.aborted ? new Error(`no answer within ${timeoutMs / 1000} s`) : error));
  // The request did not ask for an upgrade, so the connection is closed.
  sent.once("upgrade", ({ statusCode = 0 }, socket) => {
    socket.destroy();
    resolve({ status: statusCode, retryAfterS: undefined });
  });
  sent.once("close", () => reject(new Error("the connection was closed without an answer")));
  sent.end(body);
  return promise;
}

/** An IPv6 address is without its brackets. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, "$1");

/** A literal IP address is never looked up, so it is checked here. */
function requirePublicLiteral(url: URL): void {
  const host = hostOf(url);
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw new PrivateAddress(host);
}

/** Throws if the name resolves to an address that is not public; to check it before anything is sent. */
export async function requirePublic(url: URL): Promise<void> {
  await promisify(publicLookup)(hostOf(url), { all: true });
}
