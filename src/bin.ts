#!/usr/bin/env node
// The executable. If this Node.js is too old, it prints one line before it imports anything that an old one cannot read.

/** The first version with everything that the program uses; `engines` in package.json says the same. */
const OLDEST_NODE = 24;

// Written for Node.js 12, the oldest that distributions still install: no top-level await, no newer operators.
if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  process.stderr.write(
    `blackboard needs Node.js ${OLDEST_NODE} or newer; this is ${process.version}. Get one from https://nodejs.org/en/download; docs/install.md says more.\n`,
  );
  process.exitCode = 1;
} else {
  // The reader of the output, such as `head`, has closed it.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
  // Files that the program writes, such as keys, reports and backups, are not readable for other users.
  process.umask(0o077);
  void run();
}

async function run(): Promise<void> {
  const { runProgram } = await import("./program.ts");
  const code = await runProgram(process.argv.slice(2));
  // After a failure, nothing that is still open may keep the process alive.
  if (code !== 0) process.exit(code);
}
