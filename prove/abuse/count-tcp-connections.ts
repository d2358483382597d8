// Connections as the operating system reports them: a caller that does not read would never notice that the other end is closed.
import { readFileSync } from "node:fs";

const ESTABLISHED = "01";
const INODE = 9;

/**
 * The number of connections from an address to a port of this machine that the board has accepted and not closed. Those it has not accepted
 * yet have no inode.
 */
export function established(port: number, address: string): number {
  const [own, other] = [hex("127.0.0.1"), hex(address)];
  const local = `${own}:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, at, from, state]) => at === local && from?.startsWith(`${other}:`) === true && state === ESTABLISHED)
    .filter((fields) => fields[INODE] !== "0").length;
}

const hex = (address: string): string =>
  address
    .split(".")
    .toReversed()
    .map((part) => Number(part).toString(16).toUpperCase().padStart(2, "0"))
    .join("");
