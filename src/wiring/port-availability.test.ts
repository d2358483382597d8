import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../../test/support/eventually.ts";
import { emptyDirectory } from "../../test/support/process.ts";
import { readConfig } from "../config.ts";
import { withPorts } from "./port-availability.ts";

const onLinux = process.platform === "linux";

test.skipIf(!onLinux)(
  `a port that the system chose is nobody else's until the board listens there ${onLinux ? "" : "(skipped: ports are held on Linux alone)"}`,
  async () => {
    const given = readConfig(["--port", "0", "--host", "127.0.0.1", "--data", join(emptyDirectory(), "data")], {});
    const { config, reusePort, release } = await withPorts(given);
    const { port, host, baseUrl } = config;
    expect([port > 0, baseUrl]).toEqual([true, `http://localhost:${port}`]);
    const [refused] = (await once(createServer().listen(port, host), "error")) as [NodeJS.ErrnoException];
    expect(refused.code).toBe("EADDRINUSE");

    const board = createServer().listen({ port, host, reusePort });
    await once(board, "listening");
    await release();
    const [still] = (await once(createServer().listen(port, host), "error")) as [NodeJS.ErrnoException];
    expect(still.code).toBe("EADDRINUSE");

    board.close();
    await once(board, "close");
    // A process that another test forks at this moment keeps the port for as long as it has not loaded its own program.
    await eventually("the port is free again", async () => {
      const next = createServer().listen(port, host);
      const listens = await once(next, "listening").then(
        () => true,
        () => undefined,
      );
      next.close();
      return listens;
    });
  },
);
