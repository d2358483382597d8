// The files for nginx and Caddy, run by the real programs in front of a real board: what callers get, and which address the board sees.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request as http } from "node:http";
import { request as https } from "node:https";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { TestBoard } from "../support/board.ts";
import { selfSigned } from "../support/certificate.ts";
import { framesOf } from "../support/event-stream.ts";
import { eventually } from "../support/eventually.ts";
import { killAtExit } from "../support/leftovers.ts";
import { programOnPath } from "../support/on-path.ts";
import { emptyDirectory } from "../support/process.ts";
import { withFreePort } from "../support/smtp.ts";

const DEPLOY = resolve(import.meta.dirname, "../../deploy");
const NAME = "board.example";

interface Place {
  /** The address of the board. */
  readonly board: string;
  readonly home: string;
  readonly certificate: string;
  readonly key: string;
  /** The address of the proxy. */
  readonly port: number;
}

/** A file of `deploy` with the values of another machine replaced; all of them must occur. */
function adapted(file: string, replaced: readonly (readonly [string, string])[]): string {
  let given = readFileSync(join(DEPLOY, file), "utf8");
  for (const [from, to] of replaced) {
    expect(given, file).toContain(from);
    given = given.replaceAll(from, to);
  }
  return given;
}

function nginx({ board, home, certificate, key, port }: Place): readonly string[] {
  const server = adapted("nginx.conf", [
    ["127.0.0.1:8787", board],
    ["\tlisten 80;\n\tlisten [::]:80;\n", `\tlisten unix:${home}/plain.sock;\n`],
    ["\tlisten 443 ssl http2;\n\tlisten [::]:443 ssl http2;\n", `\tlisten 127.0.0.1:${port} ssl http2;\n`],
    ["/etc/letsencrypt/live/board.example/fullchain.pem", certificate],
    ["/etc/letsencrypt/live/board.example/privkey.pem", key],
  ]);
  writeFileSync(join(home, "blackboard.conf"), server);
  // The parts of a distribution's nginx.conf around it.
  const tempPaths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${home}/${name};`).join("\n");
  const user = process.getuid?.() === 0 ? "user root;" : "";
  writeFileSync(
    join(home, "nginx.conf"),
    `${user}\ndaemon off;\npid ${home}/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${tempPaths}\ninclude ${home}/blackboard.conf;\n}\n`,
  );
  return ["-p", home, "-e", "stderr", "-c", join(home, "nginx.conf")];
}

function caddy({ board, home, certificate, key, port }: Place): readonly string[] {
  const site = adapted("Caddyfile", [
    ["127.0.0.1:8787", board],
    [`\n${NAME} {\n`, `\n${NAME}:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}\n`],
  ]);
  const options = "{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n}\n";
  writeFileSync(join(home, "Caddyfile"), options + site);
  return ["run", "--adapter", "caddyfile", "--config", join(home, "Caddyfile")];
}

interface Call {
  readonly method?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** The address of the caller. */
  readonly from?: string;
}

class Proxy implements AsyncDisposable {
  readonly #port: number;
  readonly #certificate: string;
  readonly #stop: () => Promise<unknown>;
  readonly home: string;

  private constructor(home: string, port: number, certificate: string, stop: () => Promise<unknown>) {
    this.home = home;
    this.#port = port;
    this.#certificate = certificate;
    this.#stop = stop;
  }

  static start(program: string, board: string, configure: (place: Place) => readonly string[]): Promise<Proxy> {
    const { cert, key } = selfSigned(NAME);
    return withFreePort(async (port) => {
      const home = emptyDirectory();
      const files = { certificate: join(home, "fullchain.pem"), key: join(home, "privkey.pem") };
      writeFileSync(files.certificate, cert);
      writeFileSync(files.key, key);
      mkdirSync(join(home, "state"));
      const child = spawn(program, configure({ board: new URL(board).host, home, ...files, port }), {
        env: { ...process.env, XDG_DATA_HOME: join(home, "state"), XDG_CONFIG_HOME: join(home, "state") },
        stdio: ["ignore", "ignore", "pipe"],
      });
      const ended = once(child, "close");
      killAtExit(child);
      let said = "";
      child.stderr.setEncoding("utf8").on("data", (words: string) => (said += words));
      const proxy = new Proxy(home, port, cert, () => {
        child.kill("SIGTERM");
        return ended;
      });
      await eventually("a proxy that answers", async () => {
        if (child.exitCode !== null) throw new Error(said.replace(/address already in use/i, "it is in use"));
        // Another program on this port has another certificate, or says nothing.
        return Promise.race([proxy.#answers(), ended.then(() => undefined)]);
      });
      return proxy;
    });
  }

  #answers(): Promise<true | undefined> {
    return this.ask("/healthz").then(
      () => true,
      () => undefined,
    );
  }

  async open(path: string, { method = "GET", body, headers = {}, from }: Call = {}): Promise<IncomingMessage> {
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const request = https({
      host: "127.0.0.1",
      port: this.#port,
      servername: NAME,
      ca: this.#certificate,
      method,
      path,
      headers: { host: NAME, ...type, ...headers },
      agent: false,
      ...(from === undefined ? {} : { localAddress: from }),
    });
    request.end(body === undefined ? undefined : JSON.stringify(body));
    const [answer] = (await once(request, "response")) as [IncomingMessage];
    return answer;
  }

  async ask(path: string, call: Call = {}): Promise<{ readonly status: number | undefined; readonly body: string }> {
    const answer = await this.open(path, call);
    return { status: answer.statusCode, body: await text(answer) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
  }
}

/** The answer to callers without TLS. */
async function plain(home: string, path: string): Promise<readonly unknown[]> {
  const request = http({ socketPath: join(home, "plain.sock"), path, headers: { host: NAME } }).end();
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  answer.resume();
  return [answer.statusCode, answer.headers.location];
}

// Callers with different addresses use 127.0.0.2 and so on, which only Linux has by default.
const missing = (program: string | undefined, name: string): string =>
  process.platform !== "linux" ? " (skipped: it takes Linux)" : program === undefined ? ` (skipped: ${name} is not installed)` : "";

describe.each([
  ["nginx", nginx],
  ["caddy", caddy],
] as const)("%s", (name, configure) => {
  const program = programOnPath(name);
  const skipped = missing(program, name);

  test.skipIf(skipped !== "")(
    `passes on posts and events, tells callers apart, and keeps to itself what is the operator's${skipped}`,
    async () => {
      await using board = await TestBoard.start({
        flags: ["--base-url", `https://${NAME}`, "--trusted-proxies", "127.0.0.1", "--rate-limits", "on"],
      });
      await using proxy = await Proxy.start(program ?? "", board.url, configure);

      const stream = await proxy.open("/api/stream");
      expect(stream.statusCode).toBe(200);
      const frames = framesOf(stream);
      await frames.next();
      const envelope = board.agent().envelope({ kind: "note", title: "through the proxy" });
      const posted = await proxy.ask("/api/messages", { method: "POST", body: envelope });
      expect(posted.status, posted.body).toBe(201);
      const { id } = JSON.parse(posted.body) as { id: string };
      let heard = await frames.next();
      while (heard.done !== true && !JSON.stringify(heard.value).includes(id)) heard = await frames.next();
      expect(heard.done).toBe(false);
      stream.destroy();
      // A caller that disconnects is gone at the board too. Otherwise reconnecting callers would soon use up the streams of one address.
      await eventually("a board without readers", async () => {
        const figures = await board.get<string>("/metrics");
        return /^blackboard_stream_readers 0$/m.test(figures.body) || undefined;
      });

      // If the caller came over HTTPS, secrets are accepted.
      expect((await proxy.ask("/api/assist/keygen", { method: "POST" })).status).toBe(200);

      const report = { target: id, category: "spam", explanation: "It says too much." };
      const reported = async (from: string, headers = {}) =>
        (await proxy.ask("/api/reports", { method: "POST", body: report, from, headers })).status;
      const five = [];
      for (let i = 0; i < 5; i++) five.push(await reported("127.0.0.2"));
      expect(new Set(five).size).toBe(1);
      expect(await reported("127.0.0.2")).toBe(429);
      // No caller gets another address by claiming one.
      expect(await reported("127.0.0.2", { "x-forwarded-for": "192.0.2.7" })).toBe(429);
      expect(await reported("127.0.0.3")).toBe(five[0]);

      expect((await board.get<string>("/metrics")).body).toContain("blackboard_");
      for (const path of ["/metrics", "/metrics/", "/metrics?a=1", "/%6detrics", "//metrics", "/api/../metrics", "/./metrics"]) {
        const { status, body } = await proxy.ask(path);
        expect([path, status === 200, body.includes("blackboard_")]).toEqual([path, false, false]);
      }
      for (const path of ["/healthz", "/readyz", "/readyz/", "/readyz/writing"]) expect((await proxy.ask(path)).status, path).toBe(404);

      // A body that is too large is refused with the board's own text.
      const large = await proxy.ask("/api/messages", { method: "POST", body: { payload: "x".repeat(1024 * 1024), sig: "", nonce: "" } });
      expect(large.status).toBe(413);
      expect(JSON.parse(large.body)).toMatchObject({ error: { hint: expect.any(String) as string } });

      // Caddy redirects by itself, on a port that a test cannot have.
      if (name === "nginx") expect(await plain(proxy.home, "/m/1?a=2")).toEqual([301, `https://${NAME}/m/1?a=2`]);
    },
  );
});

const caddyProgram = programOnPath("caddy");
const withoutCaddy = caddyProgram === undefined ? " (skipped: caddy is not installed)" : "";
test.skipIf(caddyProgram === undefined)(`Caddy finds no fault in the file for compose.yaml${withoutCaddy}`, async () => {
  const state = emptyDirectory();
  const env = { ...process.env, BOARD_DOMAIN: NAME, XDG_DATA_HOME: state, XDG_CONFIG_HOME: state };
  const args = ["validate", "--adapter", "caddyfile", "--config", join(DEPLOY, "Caddyfile.compose")];
  const { stdout } = await promisify(execFile)(caddyProgram ?? "", args, { env });
  expect(stdout).toContain("Valid configuration");
});
