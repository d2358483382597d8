// Where the board listens: its ports tried before anything is made, and words for one that cannot be had.
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

/** Whether mail is received, at `address`, and what would change that. */
export function mailWords({ smtpPort, smtpRequired, mailDomain }: Config, address: string | undefined): string {
  if (address !== undefined) return `on, for ${mailDomain}`;
  if (smtpPort !== undefined) return "off: its port is taken";
  return smtpRequired ? "off, by --smtp-port 0" : "off; to receive it, give --mail-domain";
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
export const isTaken = (error: unknown): boolean => codeOf(error) === "EADDRINUSE";
/** What the system says to a name that it does not know, and to an address that is another machine's. */
const ELSEWHERE: ReadonlySet<string | undefined> = new Set(["ENOTFOUND", "EAI_AGAIN", "EADDRNOTAVAIL"]);

/** Where one port can be listened on twice, so that a port that was chosen is held until the board itself listens. */
const CAN_SHARE = process.platform === "linux";

interface Ports {
  readonly config: Config;
  /** To listen with. */
  readonly reusePort: boolean;
  /** Lets go of what was held; to be called once the board listens, or never will. */
  readonly release: () => Promise<void>;
}

/**
 * The ports, tried before anything is made. The board's addresses name its port, so one that the system is to choose is chosen first; and
 * a board that has yet to begin leaves no directory and no key behind where it cannot have its ports. One that has begun makes nothing
 * new, and who calls it while it restarts should meet nobody rather than a trial.
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
  // Whoever comes by meanwhile is not kept: closing would wait for them.
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

/** Where the port cannot be had, which one it is and how to choose another. */
export function portFault(error: unknown, { port, host, flag, hostFlag }: Port): unknown {
  if (isTaken(error)) return new Error(`Port ${port} on ${host} is taken. Choose another with ${flag}, or stop what listens there.`);
  if (codeOf(error) === "EACCES")
    return new Error(`Port ${port} on ${host} needs rights that this user lacks. Choose another with ${flag}.`);
  if (ELSEWHERE.has(codeOf(error))) return new Error(`${host} is not an address of this machine. Choose another with ${hostFlag}.`);
  return error;
}
