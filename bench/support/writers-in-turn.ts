// Two boards get the same posts in turn, so that both writers are measured in the same minutes: what the difference between them costs a post.
import type { Act } from "../../src/core/message/acts-and-outcomes.ts";
import type { Figure } from "./figure.ts";
import { storesIn } from "./board-on-chosen-store.ts";
import { type MeasuredWriter, postgresWriter, sqliteWriter } from "./measured-writer.ts";
import { Scratch } from "./scratch.ts";

export const TURN_BATCH = 48;
const ROUNDS = 60;
/** Transactions in each turn. */
const EACH = 4;

/** Two empty boards on each of these stores. */
export async function onTwoBoards(
  store: string,
  compare: (name: string, plain: MeasuredWriter, other: MeasuredWriter) => Promise<readonly Figure[]>,
): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const name of new Set(storesIn(store).map(({ nodes }) => (nodes === 0 ? "sqlite" : "postgres")))) {
    const open = (scratch: Scratch) => (name === "sqlite" ? sqliteWriter(scratch) : postgresWriter(scratch));
    using one = new Scratch();
    using another = new Scratch();
    await using plain = await open(one);
    await using other = await open(another);
    figures.push(...(await compare(name, plain, other)));
  }
  return figures;
}

/** Microseconds of CPU a post, of both writers. */
export async function writersInTurn(
  plain: MeasuredWriter,
  other: MeasuredWriter,
  posts: Iterator<Act, never>,
): Promise<{ readonly plain: number; readonly other: number }> {
  let [plainMs, otherMs] = [0, 0];
  for (let round = 0; round < ROUNDS; round++) {
    const acts = Array.from({ length: EACH * TURN_BATCH }, () => posts.next().value);
    // The second of the two finds warmer caches, so they take turns at that too.
    if (round % 2 === 0) plainMs += await cpuOf(plain, acts);
    otherMs += await cpuOf(other, acts);
    if (round % 2 === 1) plainMs += await cpuOf(plain, acts);
  }
  const count = ROUNDS * EACH * TURN_BATCH;
  return { plain: (plainMs * 1000) / count, other: (otherMs * 1000) / count };
}

/** Milliseconds of this process and of the database's server. */
export async function cpuOf(writer: MeasuredWriter, acts: readonly Act[]): Promise<number> {
  const before = writer.cpuMs();
  for (let at = 0; at < acts.length; at += TURN_BATCH) await writer.run(acts.slice(at, at + TURN_BATCH));
  const after = writer.cpuMs();
  return after.own - before.own + after.server - before.server;
}
