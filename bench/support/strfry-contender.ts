// A built strfry as a contender: with its default settings, in a directory of its own. It syncs what it acknowledges.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { freePort } from "../../test/support/free-port.ts";
import { killAtExit } from "../../test/support/leftovers.ts";
import { type Ask, type Contender, IDS, type Manner, type Question, requireOnly, WORDINGS } from "./contender.ts";
import { BUNDLE } from "./load-generator-child.ts";
import type { GeneratorProcess } from "./spawn-load-generator.ts";
import type { Measured } from "./load.ts";
import { nostrEvents } from "./nostr-events.ts";
import { TAGS } from "./posts.ts";
import { untilIdle } from "./until-idle.ts";

export class StrfryContender implements Contender {
  readonly name = "strfry";
  readonly postBytes = nostrEvents().next().value.bytes.length;
  readonly #child: ChildProcess;
  readonly #port: number;
  readonly #generator: GeneratorProcess;
  #posted = 0;

  private constructor(child: ChildProcess, port: number, generator: GeneratorProcess) {
    this.#child = child;
    this.#port = port;
    this.#generator = generator;
  }

  static async start(binary: string, dir: string, generator: GeneratorProcess): Promise<StrfryContender> {
    const db = join(dir, "strfry");
    mkdirSync(db);
    const port = await freePort();
    const config = join(dir, "strfry.conf");
    writeFileSync(config, `db = "${db}/"\nrelay {\n  bind = "127.0.0.1"\n  port = ${port}\n  nofiles = 0\n}\n`);
    const child = spawn(binary, [`--config=${config}`, "relay"], { cwd: dir, stdio: ["ignore", "ignore", "pipe"] });
    killAtExit(child);
    let said = "";
    child.stderr.on("data", (chunk) => (said = `${said}${chunk}`.slice(-2000)));
    child.on("error", (error) => (said = error.message));
    while (!(await listens(port))) {
      if (child.exitCode !== null || child.pid === undefined) throw new Error(`strfry did not start: ${said}`);
      await setTimeout(100);
    }
    return new StrfryContender(child, port, generator);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get posted(): number {
    return this.#posted;
  }

  async prepare(posts: number): Promise<void> {
    await this.#generator.make(posts, "event");
  }

  async post(manner: Manner, connections: number, seconds: number, most?: number): Promise<Measured> {
    const depth = manner === "alone" ? 1 : BUNDLE;
    const measured = await this.#generator.send({ goods: "event", ports: [this.#port], connections, seconds, most, depth });
    requireOnly("events", measured, "accepted");
    this.#posted += measured.answers;
    return measured;
  }

  async questions(): Promise<Readonly<Record<Question, Ask>>> {
    await untilIdle(this.pid);
    const ids = await this.#generator.sentIds(IDS);
    // strfry caches no answers, so other wordings make no difference. They are used all the same, as with the board.
    const wordings = Array.from({ length: WORDINGS }, (_, n) => ({ limit: 50, since: n }));
    const tagged = (filter: object, n: number): object => ({ ...filter, "#t": [TAGS[n % TAGS.length]] });
    return {
      "by id": this.#ask(
        ids.map((id) => ({ ids: [id] })),
        "1 events",
      ),
      "newest 50 with bodies": this.#ask([{ limit: 50 }], "50 events"),
      "newest 50 with bodies, unseen": this.#ask(wordings, "50 events"),
      "50 by tag": this.#ask(
        TAGS.map((_, n) => tagged({ limit: 50 }, n)),
        "50 events",
      ),
      "50 by tag, unseen": this.#ask(wordings.map(tagged), "50 events"),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exited = once(this.#child, "exit");
    // On SIGTERM it would wait until all connections are closed. Its directory is deleted anyway.
    this.#child.kill("SIGKILL");
    await exited;
  }

  #ask(filters: readonly object[], wanted: string): Ask {
    return async (connections, seconds) => {
      const measured = await this.#generator.ask({ port: this.#port, filters, connections, seconds });
      requireOnly(JSON.stringify(filters[0]), measured, wanted);
      return measured;
    };
  }
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
