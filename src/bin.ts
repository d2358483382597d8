#!/usr/bin/env node
// The executable: the program on this process's arguments; or one line where this Node.js is too old, before anything is read that an old one stumbles over.

/** The first that has everything the program uses; package.json says the same in `engines`. */
const OLDEST_NODE = 24;

// In words that Node.js 12 understands too, the oldest that distributions still install: no await up here, no newer operators.
if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  process.stderr.write(
    `blackboard needs Node.js ${OLDEST_NODE} or newer; this is ${process.version}. Get one from https://nodejs.org/en/download; docs/install.md says more.\n`,
  );
  process.exitCode = 1;
} else {
  // Whoever read the output has seen enough.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
  // Keys, reports, backups: nothing that the program writes is for other users of the machine.
  process.umask(0o077);
  void run();
}

async function run(): Promise<void> {
  const { runProgram } = await import("./program.ts");
  const code = await runProgram(process.argv.slice(2));
  // Where it failed, nothing that is still open may hold it up.
  if (code !== 0) process.exit(code);
}
