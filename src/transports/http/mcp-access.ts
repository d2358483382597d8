// Which Host and Origin headers the MCP endpoint takes: pages of other sites, and names that were bent to this machine, are kept out.
import { isIP } from "node:net";
import { isLoopbackName } from "../../core/loopback.ts";

export interface Access {
  readonly host: (host: string | undefined) => boolean;
  /** Programs send none; browsers always do. */
  readonly origin: (origin: string | undefined) => boolean;
}

const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, "$1");

export function accessTo(baseUrl: string): Access {
  const own = new URL(baseUrl);
  return {
    // An address without a name cannot be bent to another machine.
    host(host) {
      const hostname = parsed(`http://${host ?? ""}`)?.hostname;
      return hostname !== undefined && (hostname === own.hostname || isLoopbackName(hostname) || isIP(bare(hostname)) !== 0);
    },
    origin(origin) {
      if (origin === undefined) return true;
      const url = parsed(origin);
      return url !== undefined && /^https?:$/.test(url.protocol) && (url.origin === own.origin || isLoopbackName(url.hostname));
    },
  };
}

function parsed(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
