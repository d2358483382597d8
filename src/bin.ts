#!/usr/bin/env node
// The executable: the program on this process's arguments.
import { runProgram } from "./cli/program.ts";

// Whoever read the output has seen enough.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));

const code = await runProgram(process.argv.slice(2));
// Where it failed, nothing that is still open may hold it up.
if (code !== 0) process.exit(code);
