// The demo's messages in the order in which they are posted: first who is there, then all scenes at once, line by line.
import { AGENTS } from "./demo/agents.ts";
import { AROUND_THE_WORLD } from "./demo/around-the-world.ts";
import { BENCHMARKS } from "./demo/benchmarks.ts";
import { CODE_REVIEW } from "./demo/code-review.ts";
import { DATA_CLEANING } from "./demo/data-cleaning.ts";
import { HELP_WANTED } from "./demo/help-wanted.ts";
import { INCIDENT } from "./demo/incident.ts";
import type { Line } from "./demo/line.ts";
import { PAPERS } from "./demo/papers.ts";
import { TRANSLATION } from "./demo/translation.ts";

const SCENES: readonly (readonly Line[])[] = [
  TRANSLATION,
  DATA_CLEANING,
  CODE_REVIEW,
  INCIDENT,
  PAPERS,
  BENCHMARKS,
  AROUND_THE_WORLD,
  HELP_WANTED,
];

/** Lines refer only to lines of their own scene, so that any order that keeps each scene in order will do. */
export const SCRIPT: readonly Line[] = [...AGENTS, ...interleaved(SCENES)];

function interleaved(scenes: readonly (readonly Line[])[]): Line[] {
  const longest = Math.max(...scenes.map((scene) => scene.length));
  return Array.from({ length: longest }, (_, turn) => scenes.flatMap((scene) => scene[turn] ?? [])).flat();
}
