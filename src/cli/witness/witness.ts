// `blackboard witness`: follows boards, cosigns their heads as long as their logs only grow, and answers add-checkpoint for others.
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import type { Command } from "commander";
import { makeBoardKey, readBoardKey } from "../../adapters/system/board-key.ts";
import { connect } from "../../client/board-handle.ts";
import { fromBase64url } from "../../core/protocol/encoding.ts";
import { sha256, sha256Hex } from "../../core/protocol/node-sha256.ts";
import { COSIGNATURE_V1, formatVerifierKey, verifierKey } from "../../core/tlog/key.ts";
import type { Signer } from "../../core/tlog/signature.ts";
import { countOption } from "../filter-options.ts";
import { followOnce } from "./follow.ts";
import { serveWitness } from "./serve.ts";
import { WitnessState } from "./state.ts";

interface Options {
  readonly board: readonly string[];
  readonly log: readonly string[];
  readonly keyFile: string;
  readonly state: string;
  readonly name?: string;
  readonly every: number;
  readonly once?: boolean;
  readonly host: string;
  readonly port?: number;
}

const unix = (): number => Math.floor(Date.now() / 1000);
const several = (value: string, before: readonly string[]): readonly string[] => [...before, value];

export function witnessCommand(program: Command): void {
  const command = program.command("witness").description("follow logs of boards, and cosign their heads as long as they only grow");
  command.option("--board <url>", "a board to follow; may be repeated", several, []);
  command.option("--log <vkey>", "a log that may send add-checkpoint; may be repeated", several, []);
  command.option("--key-file <file>", "the witness's own key, made if there is no file", "witness.key");
  command.option("--state <file>", "the file that remembers the last head of each log", "witness.json");
  command.option("--name <name>", "the name of its key, such as witness.example/w1; derived from the key unless given");
  command.option("--every <seconds>", "how often it checks", countOption, 10);
  command.option("--once", "check once and exit");
  command.option("--port <port>", "answer add-checkpoint (C2SP tlog-witness) on this port", countOption);
  command.option("--host <address>", "address to listen on", "127.0.0.1");
  command.action(witness);
}

async function witness(options: Options): Promise<void> {
  const signer = signerOf(options);
  const state = new WitnessState(options.state);
  for (const vkey of options.log) state.learn(vkey);
  process.stdout.write(`witness ${formatVerifierKey(signer.key)}\n`);
  const server = options.port === undefined ? undefined : await serveWitness(options, state, signer, unix);
  if (server !== undefined)
    process.stdout.write(`listening at http://${options.host}:${(server.address() as AddressInfo).port}/add-checkpoint\n`);
  const boards = options.board.map((url) => connect(url, { attempts: 1 }));
  for (;;) {
    for (const board of boards)
      try {
        const { origin, size, witnesses } = await followOnce(board, state, signer, unix, (words) => process.stderr.write(`${words}\n`));
        process.stdout.write(`cosigned ${origin} ${size} witnesses ${witnesses}\n`);
      } catch (error) {
        if (options.once === true) throw error;
        process.stderr.write(`${board.url}: ${(error as Error).message}\n`);
      }
    if (options.once === true || (boards.length === 0 && server === undefined)) break;
    await setTimeout(options.every * 1000);
  }
  server?.close();
}

function signerOf({ keyFile, name }: Options): Signer {
  const secret = readBoardKey(keyFile) ?? makeBoardKey(keyFile);
  const publicKey = fromBase64url(secret.pk);
  const key = verifierKey(name ?? `blackboard-witness/${sha256Hex(publicKey).slice(0, 16)}`, COSIGNATURE_V1, publicKey, sha256);
  return { key, sign: (message) => fromBase64url(secret.sign(new TextDecoder().decode(message))) };
}
