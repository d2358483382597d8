// Detects nodes of one board with different settings: each tells the others its own, and reports the first difference.
import { MINUTE_MS } from "../../core/durations.ts";
import { type Clock, every } from "../../ports/clock.ts";
import type { Peers } from "../../ports/peers.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { BackgroundWork } from "./finish-before-close.ts";

/** The value of each setting, by the flag that sets it. */
export type NodeSettings = Readonly<Record<string, string | number>>;

export interface SameSettingsParts {
  readonly settings: NodeSettings;
  readonly clock: Clock;
  readonly report: Telemetry;
  readonly peers: Peers;
  /** Called once for each value of another node that differs. */
  readonly differs: (flag: string, own: string | number, other: string | number) => void;
}

/** Nodes send lists of items with a scope, and skip unknown scopes: so does a node of an earlier release. */
const SCOPE = "settings";
interface SettingsMessage {
  readonly scope: string;
  readonly settings?: NodeSettings;
}

export function compareSettings({ settings, clock, report, peers, differs }: SameSettingsParts): { stop(): Promise<void> } {
  const underWay = new BackgroundWork((error) => report.failed("nodes", error));
  const message = JSON.stringify([{ scope: SCOPE, settings }] satisfies SettingsMessage[]);
  const broadcast = (): void => underWay.add(peers.broadcast(message));
  const known = new Set<string>();

  /** Reports a difference. Returns whether it is new. */
  function compare(flag: string, other: string | number): boolean {
    const own = settings[flag];
    const key = `${flag} ${other}`;
    if (own === undefined || own === other || known.has(key)) return false;
    known.add(key);
    differs(flag, own, other);
    return true;
  }
  peers.onMessage((text) => {
    for (const { scope, settings: others } of JSON.parse(text) as readonly SettingsMessage[]) {
      if (scope !== SCOPE || others === undefined) continue;
      const news = Object.entries(others).filter(([flag, value]) => compare(flag, value));
      // The other node has most likely just started, and does not know this one's settings yet.
      if (news.length > 0) broadcast();
    }
  });

  broadcast();
  const cancel = every(clock, MINUTE_MS, broadcast);
  return {
    async stop() {
      cancel();
      await underWay.finished();
    },
  };
}
