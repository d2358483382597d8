// Whether a request may carry a secret: it came over TLS, through a trusted proxy that says so, or never left the machine.
import { BlockList, isIPv6 } from "node:net";
import type { TLSSocket } from "node:tls";
import type { FastifyRequest } from "fastify";

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;
const FORWARDING = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-forwarded-port",
  "x-real-ip",
] as const;

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

const holds = (list: BlockList, address: string | undefined): boolean =>
  address !== undefined && list.check(address, isIPv6(address) ? "ipv6" : "ipv4");

export function secureCheck(trustedProxies: readonly string[]): (request: FastifyRequest) => boolean {
  const trusted = new BlockList();
  for (const proxy of trustedProxies) {
    const [address = "", bits] = proxy.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  return ({ raw, headers }) => {
    const { socket } = raw;
    if ((socket as TLSSocket).encrypted) return true;
    if (holds(trusted, socket.remoteAddress) && headers["x-forwarded-proto"] === "https") return true;
    const local = holds(loopback, socket.remoteAddress) && holds(loopback, socket.localAddress);
    return local && LOOPBACK_HOST.test(headers.host ?? "") && FORWARDING.every((name) => headers[name] === undefined);
  };
}
