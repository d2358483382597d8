// Which Host and Origin headers the MCP endpoint accepts: it refuses pages of other sites and protects against DNS rebinding.
import { isIP } from "node:net";
import { isLoopbackName } from "../../core/loopback.ts";

export interface AllowedCallers {
  readonly host: (host: string | undefined) => boolean;
  /** Programs send no Origin; browsers always do. */
  readonly origin: (origin: string | undefined) => boolean;
}

const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, "$1");

export function accessTo(baseUrl: string): AllowedCallers {
  const own = new URL(baseUrl);
  return {
    // An IP address cannot be used for DNS rebinding.
    host(host) {
      const hostname = URL.parse(`http://${host ?? ""}`)?.hostname;
      return hostname !== undefined && (hostname === own.hostname || isLoopbackName(hostname) || isIP(bare(hostname)) !== 0);
    },
    origin(origin) {
      if (origin === undefined) return true;
      const url = URL.parse(origin);
      return url !== null && /^https?:$/.test(url.protocol) && (url.origin === own.origin || isLoopbackName(url.hostname));
    },
  };
}
