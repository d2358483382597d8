// What counts as one caller, and as one network.
import { isIPv4 } from "node:net";

/** Some proxies pass an address on with the port of its connection, which differs each time. */
const WITH_PORT = /^(?:((?:\d+\.){3}\d+):\d+|\[([^\]]+)\](?::\d+)?)$/;

/** What is known about callers is kept for this many of them. */
export const MAX_CALLERS = 100_000;
/** A /48 has 65,536 networks of 64 bits: they are also counted together, with a higher limit. */
export const NETWORK_WIDTH = 4;
export const NETWORK = "::/48";
/** The network that a caller's provider most likely assigned as one: an IPv6 /48, an IPv4 /24. */
export const networkOf = (caller: string): string => caller.split(/[.:]/).slice(0, 3).join(":");
export const countsNetwork = (counted: string): boolean => counted.endsWith(NETWORK);
/** The names under which a caller is counted: its own, and that of its wider network if it has one. Only IPv6 addresses have colons. */
export function countedAs(caller: string): readonly string[] {
  if (!caller.includes(":")) return [caller];
  return [caller, `${caller.split(":").slice(0, 3).join(":")}${NETWORK}`];
}

/** Under this name the work for a caller takes turns with that for others. A /48 has too many callers to give each a turn: it has a few. */
export function laneOf(caller: string): string {
  const [own = "", network] = countedAs(caller);
  return network === undefined ? own : `${network} ${Number.parseInt(own.split(":")[3] ?? "0", 16) % NETWORK_WIDTH}`;
}

/**
 * Each address is one caller, but an IPv6 /64 network is one caller as a whole. Disconnected callers have no address, and together count as
 * one caller.
 */
export function callerOf(written: string | undefined): string {
  if (written === undefined) return "";
  const address = written.replace(WITH_PORT, "$1$2");
  if (!address.includes(":")) return address;
  const groups = groupsOf(address.split("%")[0]!);
  const [g6 = 0, g7 = 0] = groups.slice(6);
  const mapped = groups.slice(0, 6).join() === "0,0,0,0,0,65535";
  if (mapped) return [g6 >> 8, g6 & 255, g7 >> 8, g7 & 255].join(".");
  return groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":");
}

/** The eight numbers of an IPv6 address, however it is written. */
function groupsOf(address: string): readonly number[] {
  const hex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_all, ...parts: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = parts.map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [left = [], right] = hex.split("::").map((half) => half.split(":").filter((group) => group !== ""));
  const zeros = right === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill("0");
  return [...left, ...zeros, ...(right ?? [])].map((group) => Number.parseInt(group, 16));
}

/** The network of an address, without the host: IPv4 without its last 8 bits, IPv6 without its last 80; undefined if it is no address. */
export function maskedAddress(address: string): string {
  const caller = callerOf(address);
  if (isIPv4(caller)) return caller.replace(/\.\d+$/, ".0");
  return /^[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){3}$/.test(caller) ? `${caller.split(":").slice(0, 3).join(":")}::` : "unknown";
}
