// Where the board listens: tries its ports before anything is created, and explains why a port is not available.
import { once } from "node:events";
import { existsSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import type { Config } from "../config.ts";

interface Port {
  readonly port: number;
  readonly host: string;
  readonly flag: string;
  readonly hostFlag: string;
}
export const webPort = ({ port, host }: Config): Port => ({ port, host, flag: "--port", hostFlag: "--host" });
// oxfmt-ignore
export const mailPort = ({ smtpPort = 0, smtpHost }: Config): Port =>
  ({ port: smtpPort, host: smtpHost, flag: "--smtp-port", hostFlag: "--smtp-host" });

/** Whether mail is received, at `address`, and how to change that. */
export function mailWords({ smtpPort, smtpRequired, mailDomain }: Config, address: string | undefined): string {
  if (address !== undefined) return `on, for ${mailDomain}`;
  if (smtpPort !== undefined) return "off: its port is in use";
  return smtpRequired ? "off, by --smtp-port 0" : "off; to receive it, give --mail-domain";
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
export const isTaken = (error: unknown): boolean => codeOf(error) === "EADDRINUSE";
/** The system's error codes for an unknown name and for an address of another machine. */
const ELSEWHERE: ReadonlySet<string | undefined> = new Set(["ENOTFOUND", "EAI_AGAIN", "EADDRNOTAVAIL"]);

/** Systems on which a port can be bound twice, so that a chosen port stays reserved until the board itself listens. */
const CAN_SHARE = process.platform === "linux";

interface Ports {
  readonly config: Config;
  /** To listen with. */
  readonly reusePort: boolean;
  /** Releases the reserved ports; call it once the board listens, or never will. */
  readonly release: () => Promise<void>;
}

/**
 * Tries the ports before anything is created. The board's addresses contain its port, so a port that the system chooses must be known
 * first; and a new board that cannot get its ports leaves no directory and no key behind. An existing board is not tried: callers during
 * its restart should meet no server rather than a test server.
 */
export async function withPorts(config: Config): Promise<Ports> {
  const choose = config.port === 0 && config.baseUrl === "http://localhost:0";
  const begun = existsSync(config.data) && existsSync(config.keyFile);
  const given = { config, reusePort: false, release: async () => {} };
  if (begun && !choose) return given;
  const reusePort = choose && CAN_SHARE;
  const probe = await opened(webPort(config), reusePort);
  const release = (): Promise<void> => closed(probe);
  if (!reusePort) await release();
  if (!begun && config.smtpRequired && config.smtpPort !== undefined)
    await opened(mailPort(config)).then(closed, async (error: unknown) => {
      await release();
      throw error;
    });
  if (!choose) return given;
  const { port } = probe.address() as AddressInfo;
  const chosen = { ...config, port, baseUrl: `http://localhost:${port}` };
  return reusePort ? { config: chosen, reusePort, release } : { ...given, config: chosen };
}

async function opened(wanted: Port, reusePort = false): Promise<Server> {
  // Connections to the test server are closed at once: closing it would wait for them.
  const probe = createServer((socket) => socket.destroy()).listen({ port: wanted.port, host: wanted.host, reusePort });
  await once(probe, "listening").catch((error: unknown) => {
    throw portFault(error, wanted);
  });
  return probe;
}

async function closed(probe: Server): Promise<void> {
  if (!probe.listening) return;
  probe.close();
  await once(probe, "close");
}

/** If the port is not available, says which one it is and how to choose another. */
export function portFault(error: unknown, { port, host, flag, hostFlag }: Port): unknown {
  if (isTaken(error)) return new Error(`Port ${port} on ${host} is in use. Choose another with ${flag}, or stop the program that uses it.`);
  if (codeOf(error) === "EACCES")
    return new Error(`Port ${port} on ${host} needs rights that this user lacks. Choose another with ${flag}.`);
  if (ELSEWHERE.has(codeOf(error))) return new Error(`${host} is not an address of this machine. Choose another with ${hostFlag}.`);
  return error;
}
