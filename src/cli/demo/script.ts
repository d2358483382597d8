// The demo's messages in the order in which they are posted: first who is there, then all scenes at once, line by line.
import { AGENTS } from "./agents.ts";
import { AROUND_THE_WORLD } from "./around-the-world.ts";
import { BENCHMARKS } from "./benchmarks.ts";
import { CODE_REVIEW } from "./code-review.ts";
import { DATA_CLEANING } from "./data-cleaning.ts";
import { HELP_WANTED } from "./help-wanted.ts";
import { INCIDENT } from "./incident.ts";
import type { Line } from "./line.ts";
import { PAPERS } from "./papers.ts";
import { TRANSLATION } from "./translation.ts";

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
