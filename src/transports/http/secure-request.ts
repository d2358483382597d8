// Decides whether a request may carry a secret: it came over TLS, through a trusted proxy that says so, or from the same machine.
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { BlockList, isIPv6 } from "node:net";
import { callerOf } from "../../board/limits/callers.ts";
import { isLoopbackName } from "../../core/loopback.ts";

/** Headers that proxies and content networks add. Any of them means that the caller is on another machine. */
const FORWARDING =
  /^(forwarded|via|cdn-loop|(x-)?client-ip|x-cluster-client-ip|x-real-ip|true-client-ip|x-(url-)?scheme|(x-)?forwarded-.*|x-forwarded|x-original-.*|x-envoy-.*|cf-.*|(fastly|fly)-.*|front-end-https|x-amzn-trace-id|x-appengine-.*|x-azure-.*|x-cloud-trace-context)$/;

export const isLoopbackHost = (host: string | undefined): boolean => isLoopbackName((host ?? "").replace(/:\d{1,5}$/, ""));
export function isForwarded(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) if (FORWARDING.test(name)) return true;
  return false;
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

const holds = (list: BlockList, address: string | undefined): boolean =>
  address !== undefined && list.check(address, isIPv6(address) ? "ipv6" : "ipv4");

export const isLoopbackAddress = (address: string | undefined): boolean => holds(loopback, address?.replace(/^::ffff:/i, ""));

/** The part of a request that the rule reads; `encrypted` exists on TLS sockets only. */
export interface ArrivedRequest {
  readonly socket: { readonly remoteAddress?: string | undefined; readonly localAddress?: string | undefined; readonly encrypted?: true };
  readonly headers: IncomingHttpHeaders;
}

/** Returns whether an address is that of a trusted proxy. */
export function trustedCheck(trustedProxies: readonly string[]): (address: string | undefined) => boolean {
  const trusted = new BlockList();
  for (const proxy of trustedProxies) {
    const [address = "", bits] = proxy.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  return (address) => holds(trusted, address);
}

/** The caller of a request, as limits count it: the address that a trusted proxy names, or the address of the connection. */
export function callerFrom(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  if (trustedProxies.length === 0) return ({ socket }) => callerOf(socket.remoteAddress);
  const isTrusted = trustedCheck(trustedProxies);
  return ({ socket, headers }) => {
    const passedOn = [headers["x-forwarded-for"] ?? []].flat().flatMap((list) => list.split(","));
    const chain = [...passedOn, socket.remoteAddress ?? ""].map((address) => address.trim());
    return callerOf(chain.findLast((address) => !isTrusted(address)) ?? chain[0]);
  };
}

export interface SecureParts {
  readonly trustedProxies: readonly string[];
  readonly baseUrl: string;
  /** Whether the name in the base address means this machine, or one of a private network. */
  readonly privateName: boolean;
}

/**
 * A board with a public name has callers on other machines, and one with an HTTPS address has a proxy or its own certificate. There a plain
 * request that seems to come from the same machine was most likely forwarded by a proxy that is not configured to say so.
 */
const mayBeCalledLocally = ({ baseUrl, privateName }: SecureParts): boolean => {
  const { protocol, hostname } = new URL(baseUrl);
  return isLoopbackName(hostname) || (privateName && protocol !== "https:");
};

export function secureCheck(parts: SecureParts): (request: ArrivedRequest) => boolean {
  const isTrusted = trustedCheck(parts.trustedProxies);
  const mayBeLocal = mayBeCalledLocally(parts);
  return ({ socket, headers }) => {
    if (socket.encrypted === true) return true;
    // A header that is sent twice arrives as a list, which is not exactly `https`.
    if (isTrusted(socket.remoteAddress) && headers["x-forwarded-proto"] === "https") return true;
    const local = mayBeLocal && holds(loopback, socket.remoteAddress) && holds(loopback, socket.localAddress);
    return local && isLoopbackHost(headers.host) && !isForwarded(headers);
  };
}
