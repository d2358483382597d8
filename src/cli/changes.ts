// `blackboard changes`: entries of the board's log.
import type { Command } from "commander";
import { requireNotReset } from "../client/reset-board.ts";
import { getChanges } from "../client/read.ts";
import { countOption } from "./filter-options.ts";
import { atBoard, inSession } from "./session.ts";
import { oneLine, table } from "./table.ts";

interface ChangesOptions {
  readonly after: number;
  readonly limit: number;
  readonly raw?: true;
}

export function changesCommand(program: Command): void {
  const command = program.command("changes").description("list entries of the log");
  command
    .option("--after <seq>", "only entries after this seq", countOption, 0)
    .option("--limit <n>", "how many at most, 1000 at once", countOption, 100);
  command.option("--raw", "with the signed payloads (--json)");
  inSession(atBoard(command), async (session, { after, limit, raw }: ChangesOptions) => {
    const page = await getChanges(session.board, { after, limit, ...(raw === true ? { include: ["raw"] } : {}) });
    requireNotReset(after, page.latest_seq);
    const rows = page.changes.map(({ seq, at, type, id, detail }) => [String(seq), at, type, oneLine(id, 24), detail ?? ""]);
    const more = page.more ? `more: --after ${page.next_after}\n` : "";
    session.print(page, () => table(["SEQ", "AT", "TYPE", "ID", "DETAIL"], rows) + more);
  });
}
