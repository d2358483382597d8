// A full disk: reading goes on, writing is refused in so many words, and both are as before once there is space, without a restart.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ErrorBody } from "../../src/core/errors.ts";
import type { Envelope } from "../../src/core/protocol/envelope.ts";
import { lostBy } from "../../test/support/acknowledged.ts";
import { Agent, sha256 } from "../../test/support/agent.ts";
import { BoardProcess } from "../../test/support/process.ts";
import type { Part } from "../part.ts";
import { FLAGS } from "../support/flags.ts";
import { smallDisk } from "../support/machine.ts";

const DISK_MB = 64;
const BALLAST_MB = 40;
const RECOVERS_WITHIN_MS = 5000;

export const diskFull: Part = {
  name: "disk-full",
  promise: "full disk: reads answer, writes say `storage_full`, and it recovers within 5 s of space returning",
  stores: ["sqlite"],
  async run() {
    using disk = smallDisk(DISK_MB);
    const ballast = join(disk.path, "ballast");
    writeFileSync(ballast, Buffer.alloc(BALLAST_MB * 2 ** 20));
    await using board = await BoardProcess.serve(join(disk.path, "data"), FLAGS);
    const agent = new Agent();
    const acknowledged: Envelope[] = [];
    const post = async (): Promise<string> => {
      const envelope = agent.envelope({ kind: "note", body: `${acknowledged.length} ${"x".repeat(15_000)}` });
      const response = await fetch(`${board.url}/api/messages`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(envelope),
      });
      const body = (await response.json()) as Partial<ErrorBody>;
      if (response.status === 201) acknowledged.push(envelope);
      return body.error === undefined ? "201" : `${response.status} ${body.error.code}`;
    };
    let refusal = await post();
    while (refusal === "201") refusal = await post();
    const [first] = acknowledged;
    const reads = await Promise.all(
      ["/api/messages", `/api/messages/${sha256(first?.payload ?? "")}`, "/healthz"].map(
        async (path) => (await fetch(board.url + path)).status,
      ),
    );
    rmSync(ballast);
    const since = performance.now();
    let again = await post();
    while (again !== "201" && performance.now() - since < 2 * RECOVERS_WITHIN_MS) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      again = await post();
    }
    const took = Math.round(performance.now() - since);
    const lost = await lostBy(board.url, acknowledged);
    return {
      held: refusal === "503 storage_full" && reads.every((status) => status === 200) && took < RECOVERS_WITHIN_MS && lost.length === 0,
      figure: `${acknowledged.length} posts, then ${refusal}; reads ${reads.join(", ")}; a post again after ${took} ms; ${lost.length} lost`,
    };
  },
};
