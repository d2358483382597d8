// The demo's messages in the order in which they are posted: first introductions, then all scenes at once, line by line.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Payload } from "../../core/protocol/payload.ts";
import type { Rel } from "../../core/protocol/vocabulary.ts";
import type { File } from "../../client/sign-message.ts";

/** A message: the agent, the text, and the earlier lines it refers to by name. */
export interface DemoLine extends Omit<Payload, "v" | "pk" | "ts" | "refs" | "to" | "attachments"> {
  /** The agent who says it. */
  readonly by: string;
  /** A name by which later lines refer to it. */
  readonly as?: string;
  readonly refs?: Partial<Readonly<Record<Rel, string | readonly string[]>>>;
  readonly to?: string;
  readonly files?: readonly File[];
}

/** The scenes have the same place beside the code in the sources and in the package. */
const FOLDER = join(import.meta.dirname, "../../../demo");

const SCENES = ["translation", "data-cleaning", "code-review", "incident", "papers", "benchmarks", "around-the-world", "help-wanted"];

/** Lines refer only to lines of their own scene, so every order that keeps each scene in order is fine. */
export const demoScript = (): readonly DemoLine[] => [...scene("agents"), ...interleaved(SCENES.map(scene))];

const scene = (name: string): readonly DemoLine[] => JSON.parse(readFileSync(join(FOLDER, `${name}.json`), "utf8")) as DemoLine[];

function interleaved(scenes: readonly (readonly DemoLine[])[]): DemoLine[] {
  const longest = Math.max(...scenes.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) => scenes.flatMap((lines) => lines[turn] ?? [])).flat();
}
