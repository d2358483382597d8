// Measures what the tree over the log costs: its share of a post, the time of a proof, and a tile beside static answers.
import { BatchLedger } from "../src/adapters/sql/batch/in-memory-ledger.ts";
import { EMPTY_EDGE, growEdge } from "../src/core/log/tree-edge.ts";
import { GENESIS } from "../src/core/log/entry-text.ts";
import { sha256Hex } from "../src/core/protocol/node-sha256.ts";
import { BoardProcess } from "./support/board-process.ts";
import type { Figure } from "./support/figure.ts";
import { filledBoard } from "./support/filled-board-directory.ts";
import { GeneratorProcess } from "./support/spawn-load-generator.ts";
import { threadMs } from "./support/cpu-time.ts";
import { MeasuredBoard, storesIn } from "./support/board-on-chosen-store.ts";
import { type MeasuredWriter, postgresWriter, sqliteWriter } from "./support/measured-writer.ts";
import { payloads } from "./support/posts.ts";
import { SameBytesProcess } from "./support/spawn-fixed-response-server.ts";
import { Scratch } from "./support/scratch.ts";
import { untilIdle } from "./support/until-idle.ts";
import { writerPost } from "./support/writer-post.ts";

const BATCH = 24;
const ROUNDS = 30;
const ROUND_POSTS = 480;
const MESSAGES = 20_000;
const SECONDS = 2;
const CONNECTIONS = 16;

const middle = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

export async function tlogBench({ store = "sqlite,postgres" }: { store?: string | undefined } = {}): Promise<readonly Figure[]> {
  const names = new Set(storesIn(store).map(({ nodes }) => (nodes === 0 ? "sqlite" : "postgres")));
  const figures: Figure[] = [hashing()];
  for (const name of names) figures.push(...(await beside(name)));
  figures.push(...(await share(figures)), ...(await served()));
  return figures;
}

/** Hashing alone, over many tiles, in batches of the size that a busy board has. */
function hashing(): Figure {
  const entries = Array.from({ length: BATCH }, (_, i) => {
    const id = sha256Hex(`message ${i}`);
    return { prev: GENESIS, seq: 1_000_000 + i, at: 1_767_225_600_000, type: "create", id, digest: id };
  });
  const BATCHES = 2000;
  const rounds: number[] = [];
  let edge = EMPTY_EDGE;
  for (let round = 0; round < 5; round++) {
    const before = process.cpuUsage();
    for (let batch = 0; batch < BATCHES; batch++) ({ edge } = growEdge(edge, entries));
    const { user, system } = process.cpuUsage(before);
    rounds.push((user + system) / (BATCHES * BATCH));
  }
  const value = middle(rounds);
  console.log(`the tree alone: ${value.toFixed(1)} us of CPU an entry, tiles included`);
  return { name: "the tree alone, an entry", value, unit: "us", better: "less" };
}

/** Two writers in turn, one of them without the tree: CPU per post of each, and the ratio. */
async function beside(name: string): Promise<readonly Figure[]> {
  using scratches = new DisposableStack();
  const open = async (): Promise<MeasuredWriter> => {
    const scratch = scratches.use(new Scratch());
    return name === "sqlite" ? sqliteWriter(scratch) : postgresWriter(scratch);
  };
  await using withTree = await open();
  await using without = await open();
  // oxlint-disable-next-line typescript/unbound-method -- put back below, as a method.
  const { growTree } = BatchLedger.prototype;
  const source = payloads();
  const run = async (writer: MeasuredWriter, tree: boolean): Promise<number> => {
    BatchLedger.prototype.growTree = tree ? growTree : (edge) => edge;
    const acts = Array.from({ length: ROUND_POSTS }, () => writerPost(source.next().value));
    const before = writer.cpuMs();
    for (let done = 0; done < acts.length; done += BATCH) await writer.run(acts.slice(done, done + BATCH));
    const { own, server } = writer.cpuMs();
    return ((own - before.own + server - before.server) * 1000) / ROUND_POSTS;
  };
  try {
    const rounds: { readonly tree: number; readonly none: number }[] = [];
    for (let round = -5; round < ROUNDS; round++) {
      // The second one finds warmer caches, so they also take turns at being first.
      const first = round % 2 === 0;
      const one = await run(first ? withTree : without, first);
      const other = await run(first ? without : withTree, !first);
      if (round >= 0) rounds.push(first ? { tree: one, none: other } : { tree: other, none: one });
    }
    const none = middle(rounds.map((one) => one.none));
    const more = middle(rounds.map((one) => one.tree - one.none));
    console.log(
      `${name}, writer alone, ${BATCH} posts a transaction: CPU ${none.toFixed(0)} us a post, ${more.toFixed(1)} more with the tree`,
    );
    return [
      { name: `${name}: the writer's CPU a post without the tree`, value: none, unit: "us", better: "less" },
      { name: `${name}: more with the tree`, value: more, unit: "us", better: "less" },
    ];
  } finally {
    BatchLedger.prototype.growTree = growTree;
  }
}

/** The tree's share of a whole post on SQLite: request, signature, writer and answer. */
async function share(measured: readonly Figure[]): Promise<readonly Figure[]> {
  using scratch = new Scratch();
  using generator = new GeneratorProcess();
  await using board = await MeasuredBoard.start({ name: "sqlite", nodes: 0 }, scratch.path, undefined);
  for (const seconds of [2, 6]) {
    await generator.make(seconds * 4000);
    const cpu = (): number => [...board.cpuMs().values()].reduce((sum, ms) => sum + ms, 0);
    const before = cpu();
    const { answers } = await generator.post(board.ports, CONNECTIONS, seconds);
    if (seconds === 2) continue;
    const us = ((cpu() - before) * 1000) / answers;
    const tree = measured.find(({ name }) => name === "the tree alone, an entry")?.value ?? Number.NaN;
    console.log(`a whole post takes ${us.toFixed(0)} us of CPU; the tree is ${((tree / us) * 100).toFixed(2)} % of it`);
    return [
      { name: "CPU of a whole post", value: us, unit: "us", better: "less" },
      { name: "the tree's share of a post", value: (tree / us) * 100, unit: "%", better: "less" },
    ];
  }
  return [];
}

/** Proofs and tiles over HTTP, beside the board's own static file and a bare server that sends the same bytes. */
async function served(): Promise<readonly Figure[]> {
  const { dir } = filledBoard(MESSAGES);
  await using board = await BoardProcess.start(dir);
  await untilIdle(board.pid);
  using generator = new GeneratorProcess();
  using bare = await SameBytesProcess.start();
  const at = `http://127.0.0.1:${board.port}`;
  const { latest_seq } = (await (await fetch(`${at}/api/changes?limit=1`)).json()) as { latest_seq: number };
  // The first request signs the head that all proofs refer to.
  await fetch(`${at}/api/changes/${latest_seq}/proof`);
  const ask = async (port: number, pid: number | undefined, paths: readonly string[], connections: number) => {
    const before = threadMs(pid).get("main") ?? Number.NaN;
    const answered = await generator.get([port], paths, connections, SECONDS);
    if (answered.statuses["200"] !== answered.answers) throw new Error(`Not every answer was good: ${JSON.stringify(answered.statuses)}`);
    return { ...answered, cpuUs: (((threadMs(pid).get("main") ?? Number.NaN) - before) * 1000) / answered.answers };
  };
  const own = (paths: readonly string[], connections: number) => ask(board.port, board.pid, paths, connections);

  const proofs = Array.from({ length: 1000 }, (_, i) => `/api/changes/${1 + Math.floor((i * latest_seq) / 1000)}/proof`);
  await own(proofs, 1);
  const proof = await own(proofs, 1);
  console.log(
    `a proof in a log of ${latest_seq}: p50 ${proof.p50.toFixed(2)} ms, p99 ${proof.p99.toFixed(2)} ms, CPU ${proof.cpuUs.toFixed(0)} us`,
  );

  const tile = ["/tlog/tile/0/000"];
  const page = await (await fetch(`${at}/log`, { headers: { accept: "text/html" } })).text();
  const asset = [/\/assets\/miner-[\w]+\.js/.exec(page)?.[0] ?? ""];
  const barePort = await bare.copy(at + tile[0]);
  await own(tile, CONNECTIONS);
  const rounds = [];
  for (let round = 0; round < 3; round++)
    rounds.push({
      tile: await own(tile, CONNECTIONS),
      asset: await own(asset, CONNECTIONS),
      bare: await ask(barePort, bare.pid, ["/"], CONNECTIONS),
    });
  const ofAsset = middle(rounds.map((one) => one.asset.cpuUs / one.tile.cpuUs));
  const ofBare = middle(rounds.map((one) => one.bare.cpuUs / one.tile.cpuUs));
  const perSecond = middle(rounds.map((one) => one.tile.perSecond));
  const us = middle(rounds.map((one) => one.tile.cpuUs));
  console.log(
    `a tile: ${perSecond.toFixed(0)} a second, CPU ${us.toFixed(0)} us; a static file of the board takes ${ofAsset.toFixed(2)} of that, a bare server with the same bytes ${ofBare.toFixed(2)}`,
  );
  return [
    { name: `a proof of ${MESSAGES} messages: p50`, value: proof.p50, unit: "ms", better: "less" },
    { name: `a proof of ${MESSAGES} messages: p99`, value: proof.p99, unit: "ms", better: "less" },
    { name: `a proof of ${MESSAGES} messages: CPU`, value: proof.cpuUs, unit: "us", better: "less" },
    { name: "tiles", value: perSecond, unit: "/s", better: "more" },
    { name: "a tile: CPU", value: us, unit: "us", better: "less" },
    { name: "a tile beside a static file of the board, by CPU", value: ofAsset, unit: "", better: "more" },
    { name: "a tile beside a bare server, by CPU", value: ofBare, unit: "", better: "more" },
  ];
}
