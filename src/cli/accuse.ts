// `blackboard accuse`: makes evidence that anybody can check from two signed heads of one log that cannot both be true.
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { holds, readTile, TlogError } from "../client/tlog.ts";
import { connect } from "../client/board-handle.ts";
import { sha256 } from "../core/protocol/node-sha256.ts";
import { fromBase64, toBase64 } from "../core/tlog/base64.ts";
import { type Checkpoint, openCheckpoint, parseCheckpoint } from "../core/tlog/checkpoint.ts";
import { requireContradiction } from "../core/tlog/contradiction.ts";
import { parseVerifierKey } from "../core/tlog/key.ts";
import type { Hash } from "../core/tlog/merkle.ts";
import { parseNote } from "../core/tlog/note.ts";
import { planPrefix, readLater } from "../core/tlog/proofs-from-tiles.ts";
import { jsonIn } from "../core/text/json-in.ts";
import { ProofFault, UsageFault } from "./failure.ts";

/** Evidence that the log signed two histories. */
interface Evidence {
  readonly vkey: string;
  readonly notes: readonly [string, string];
  /** The path from the smaller size to the root of the larger tree, in base64; empty if both have the same size. */
  readonly path: readonly string[];
}

interface Options {
  readonly vkey?: string;
  readonly board?: string;
  readonly check?: string;
}

export function accuseCommand(program: Command): void {
  const command = program.command("accuse").argument("[a]", "a signed head of the log").argument("[b]", "another one");
  command.description(
    "make evidence from two signed heads that contradict each other, or check evidence; exits with 0 only if the log signed two histories",
  );
  command.option("--vkey <vkey>", "the log's key, as /tlog/key shows it");
  command.option("--board <url>", "the board that serves tiles of the larger tree, for heads of different sizes");
  command.option("--check <file>", "check evidence that somebody else made");
  command.action(async (a: string | undefined, b: string | undefined, options: Options) => {
    const judged = async (): Promise<{ evidence: Evidence; origin: string; sizes: readonly number[] }> => {
      const evidence = options.check === undefined ? await collected(a, b, options) : evidenceIn(options.check);
      return { evidence, ...(await requireEvidence(evidence)) };
    };
    const { evidence, origin, sizes } = await judged().catch((error: unknown) => {
      throw error instanceof TlogError ? new ProofFault(error.message) : error;
    });
    if (options.check === undefined) process.stdout.write(`${JSON.stringify(evidence)}\n`);
    process.stderr.write(`${origin} signed two histories: its heads of ${sizes.join(" and ")} entries cannot both be true.\n`);
  });
}

const isText = (value: unknown): boolean => typeof value === "string";
const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

/** The evidence in a file that somebody else may have written. */
function evidenceIn(file: string): Evidence {
  const given = jsonIn(readFileSync(file, "utf8")) as Partial<Evidence> | null | undefined;
  if (isText(given?.vkey) && areTexts(given?.notes) && given?.notes?.length === 2 && areTexts(given.path)) return given as Evidence;
  throw new ProofFault(
    `${file} is no evidence: that is a JSON object {"vkey","notes":[a,b],"path":[...]}, as \`blackboard accuse A.note B.note --vkey VKEY\` prints it.`,
  );
}

async function collected(a: string | undefined, b: string | undefined, { vkey, board }: Options): Promise<Evidence> {
  if (a === undefined || b === undefined || vkey === undefined)
    throw new UsageFault("give two files with signed heads and --vkey, or --check with a file of evidence");
  const notes: [string, string] = [readFileSync(a, "utf8"), readFileSync(b, "utf8")];
  const [small = 0, large = 0] = notes.map((note) => parseCheckpoint(parseNote(note).text).size).sort((one, other) => one - other);
  if (small === large || small === 0) return { vkey, notes, path: [] };
  if (board === undefined) throw new UsageFault("the heads are of different sizes: give --board, for tiles of the larger tree");
  const at = connect(board);
  const path = await readLater(planPrefix(small, large), (tile) => readTile(at, tile), sha256);
  return { vkey, notes, path: path.map(toBase64) };
}

async function requireEvidence({ vkey, notes, path }: Evidence): Promise<{ origin: string; sizes: readonly number[] }> {
  const key = parseVerifierKey(vkey, sha256);
  const opened = async (note: string): Promise<Checkpoint> => (await openCheckpoint(parseNote(note), key.name, [key], holds)).checkpoint;
  const [one, two] = [await opened(notes[0]), await opened(notes[1])];
  const hashes: Hash[] = path.map((hash) => fromBase64(hash, "A hash of the path"));
  requireContradiction(one, two, hashes, sha256);
  return { origin: key.name, sizes: [one.size, two.size] };
}
