// Hosts and networks as operators write them.
import { BlockList, isIP } from "node:net";
import { isLoopbackName } from "../../core/loopback.ts";

/** A name that ends in a number is meant as an IPv4 address. */
export const isHostName = (text: string): boolean =>
  /^(?=.{1,253}$)(?!(?:.*\.)?[0-9]+$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i.test(text);

/** An IP address, or a range of them such as 10.0.0.0/8. */
export function isNetwork(text: string): boolean {
  const [ip = "", bits, ...rest] = text.split("/");
  const family = isIP(ip);
  if (family === 0 || ip.includes("%") || rest.length > 0) return false;
  return bits === undefined || (/^[0-9]{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/**
 * Names of this machine or of a private network, and names without a dot. Elsewhere they mean another machine, or none. Names under `test`
 * are among them, since RFC 6761 keeps them out of the public DNS.
 */
export function isPrivateName(name: string): boolean {
  if (isLoopbackName(name)) return true;
  const address = name.replace(/^\[(.*)\]$/, "$1");
  const family = isIP(address);
  if (family !== 0) return privateNetworks.check(address, family === 4 ? "ipv4" : "ipv6");
  return !name.includes(".") || /\.(?:local|lan|internal|intranet|test|home\.arpa)$/i.test(name);
}

const PRIVATE = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10", "fc00::/7", "fe80::/10"];
const privateNetworks = new BlockList();
for (const [network = "", bits] of PRIVATE.map((one) => one.split("/")))
  privateNetworks.addSubnet(network, Number(bits), isIP(network) === 4 ? "ipv4" : "ipv6");
