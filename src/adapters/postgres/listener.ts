// Receives notifications of other nodes: one connection that listens, and reconnects when it was lost.
import postgres from "postgres";
import { serverOf } from "./address.ts";

const RETRY_MS = 500;
const CONNECT_TIMEOUT_S = 5;

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
    const { address, socket } = serverOf(url);
    const options = {
      ...(socket === undefined ? {} : { host: socket }),
      max: 1,
      fetch_types: false,
      max_lifetime: null,
      connect_timeout: CONNECT_TIMEOUT_S,
      onnotice: () => {},
      onnotify: (channel: string, payload: string) => channels[channel]?.(payload),
      onclose: () => this.#again(driver),
      connection: { application_name: "blackboard listener" },
    };
    const driver = postgres(address, options);
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
