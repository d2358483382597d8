// Receives notifications of other nodes: one connection that listens, and reconnects when it was lost.
import { connectTo } from "./client.ts";

const RETRY_MS = 500;

interface ListenerOptions {
  readonly url: string;
  /** The handler of each channel. */
  readonly channels: Readonly<Record<string, (payload: string) => void>>;
  /** Listening has begun, or begun again: earlier notifications were not received. */
  readonly begun: () => void;
}

export class Listener {
  readonly #options: ListenerOptions;
  #driver: { end(how: { timeout: number }): Promise<void> } | undefined;
  #retry: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#listen();
  }

  async end(): Promise<void> {
    this.#ended = true;
    clearTimeout(this.#retry);
    await this.#driver?.end({ timeout: 0 });
  }

  #listen(): void {
    const { url, channels, begun } = this.#options;
    const driver = connectTo(
      { url, connections: 1, name: "blackboard listener" },
      { onnotify: (channel, payload) => channels[channel]?.(payload), onclose: (): void => this.#again(driver) },
    );
    this.#driver = driver;
    const listening = Object.keys(channels).map((channel) => `LISTEN ${channel}`);
    driver.unsafe(listening.join("; ")).then(begun, () => this.#again(driver));
  }

  #again(lost: unknown): void {
    if (this.#ended || this.#driver !== lost) return;
    const driver = this.#driver;
    this.#driver = undefined;
    driver?.end({ timeout: 0 }).catch(() => {});
    this.#retry = setTimeout(() => this.#listen(), RETRY_MS);
  }
}
