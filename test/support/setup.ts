// Runs before each test file: its random numbers depend on the seed and its own name, not on the files before it.
import { relative } from "node:path";
import { configureGlobal } from "fast-check";
import { expect } from "vitest";
import { SEED, seedKeys } from "./random.ts";

configureGlobal({ seed: SEED });
seedKeys(relative(process.cwd(), expect.getState().testPath ?? ""));
