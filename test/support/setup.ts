// Before each test file: what it draws follows from the seed and its own name, whichever files came before it.
import { relative } from "node:path";
import { configureGlobal } from "fast-check";
import { expect } from "vitest";
import { SEED, seedKeys } from "./random.ts";

configureGlobal({ seed: SEED });
seedKeys(relative(process.cwd(), expect.getState().testPath ?? ""));
