// Runs the steps of a Dockerfile without Docker, in one directory per stage, which stands for the root of the image.
import { execFile } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { promisify } from "node:util";
import { emptyDirectory } from "./process.ts";

interface Step {
  readonly word: string;
  readonly text: string;
}

/** What a container of the last stage would run, and how. */
export interface Image {
  readonly root: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
  readonly healthcheck: readonly string[];
}

/** Runs a RUN command; another builder may do it differently. */
export type RunStep = (command: string, cwd: string, env: Readonly<Record<string, string>>) => Promise<void>;

export async function buildImage(context: string, run: RunStep = shell): Promise<Image> {
  const ignored = new Set(lines(join(context, ".dockerignore")));
  const stages = new Map<string, Stage>();
  let last: Stage | undefined;
  for (const step of stepsOf(readFileSync(join(context, "Dockerfile"), "utf8"))) {
    if (step.word === "FROM") {
      const [, base = "", name = ""] = /^(\S+)(?: AS (\S+))?$/.exec(step.text) ?? [];
      last = new Stage(base);
      stages.set(name, last);
    } else if (last === undefined) throw new Error("A Dockerfile begins with FROM.");
    else await last.take(step, (from) => stages.get(from), { context, ignored }, run);
  }
  if (last === undefined) throw new Error("There is no stage.");
  return last;
}

const lines = (path: string): readonly string[] => readFileSync(path, "utf8").split("\n").filter(Boolean);

function stepsOf(dockerfile: string): readonly Step[] {
  const whole = dockerfile.replaceAll(/^#.*\n/gm, "").replaceAll(/\\\n\s*/g, "");
  return [...whole.matchAll(/^([A-Z]+)\s+(.+)$/gm)].map(([, word = "", text = ""]) => ({ word, text }));
}

class Stage implements Image {
  readonly root = emptyDirectory();
  workdir = this.root;
  env: Record<string, string> = { PATH: [join(this.root, "usr/local/bin"), process.env["PATH"]].join(delimiter) };
  entrypoint: readonly string[] = [];
  cmd: readonly string[] = [];
  healthcheck: readonly string[] = [];

  /** Of a base image only its Node.js matters here: it must be the one that runs the tests. */
  constructor(base: string) {
    const [major] = process.versions.node.split(".");
    if (base !== `node:${major}-slim`) throw new Error(`The base image is ${base}, and the tests are run by Node.js ${major}.`);
    const programs = join(this.root, "usr/local/bin");
    mkdirSync(programs, { recursive: true });
    mkdirSync(join(this.root, "run"));
    symlinkSync(process.execPath, join(programs, "node"));
    // The users of the image do not exist on this machine.
    writeFileSync(join(programs, "chown"), "#!/bin/sh\n");
    chmodSync(join(programs, "chown"), 0o755);
  }

  async take(
    { word, text }: Step,
    stage: (name: string) => Stage | undefined,
    { context, ignored }: { readonly context: string; readonly ignored: ReadonlySet<string> },
    run: RunStep,
  ): Promise<void> {
    switch (word) {
      case "WORKDIR":
        this.workdir = this.#inside(text);
        mkdirSync(this.workdir, { recursive: true });
        return;
      case "ENV":
        for (const [, name = "", value = ""] of text.matchAll(/(\w+)=(\S+)/g)) this.env[name] = this.#inside(value);
        return;
      case "COPY":
        return this.#copy(text, stage, context, ignored);
      case "RUN":
        return run(this.#inside(text), this.workdir, this.env);
      case "ENTRYPOINT":
        this.entrypoint = JSON.parse(text) as string[];
        return;
      case "CMD":
        this.cmd = JSON.parse(text) as string[];
        return;
      case "HEALTHCHECK":
        this.healthcheck = JSON.parse(text.slice(text.indexOf("["))) as string[];
        return;
      case "USER":
      case "VOLUME":
      case "EXPOSE":
        return;
      default:
        throw new Error(`Nobody knows here what ${word} does.`);
    }
  }

  #copy(text: string, stage: (name: string) => Stage | undefined, context: string, ignored: ReadonlySet<string>): void {
    const [, from, names = ""] = /^(?:--from=(\S+) )?(.+)$/.exec(text) ?? [];
    const source = from === undefined ? undefined : stage(from);
    const all = names.split(" ");
    const to = join(this.workdir, all.at(-1) ?? "");
    for (const name of all.slice(0, -1)) {
      const path = source === undefined ? join(context, name) : source.#inside(name);
      const target = name === "." || !names.endsWith("/") ? to : join(to, basename(name));
      // Ignored names are at the top of the context.
      const top = (file: string): string => file.slice(context.length + 1);
      const filter = (file: string): boolean => !ignores(ignored, top(file));
      // The filter is left out when possible, because calling it for each file takes longer than copying.
      cpSync(path, target, { recursive: true, verbatimSymlinks: true, ...(source === undefined ? { filter } : {}) });
    }
  }

  /** A path of the image becomes a path under its root. */
  #inside(text: string): string {
    return text.replaceAll(/(^|[\s=])\/(?=\w)/g, `$1${this.root}/`);
  }
}

const ignores = (patterns: ReadonlySet<string>, name: string): boolean =>
  patterns.has(name) || [...patterns].some((one) => one.startsWith("*.") && !name.includes("/") && name.endsWith(one.slice(1)));

export async function shell(command: string, cwd: string, env: Readonly<Record<string, string>>): Promise<void> {
  // npm has the user's cache, and leaves no logs beside it.
  const all = { ...env, HOME: process.env["HOME"], npm_config_logs_dir: emptyDirectory() };
  await promisify(execFile)("sh", ["-euc", command], { cwd, env: all, maxBuffer: 1e8 });
}
