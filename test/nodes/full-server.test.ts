// A PostgreSQL without room for its tables: every probe says so as long as it lasts, the log says it once, and reads continue.
import { expect, test } from "vitest";
import { TestBoard } from "../support/board.ts";
import { openBeside } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { expectRefusal } from "../support/refusal.ts";

/** Only the server's refusal, without a full disk: `npm run prove` fills a real one, which needs a mount. */
const FULL = `
  CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'could not extend file "base/5/16400": No space left on device' USING ERRCODE = 'disk_full';
  END $$;
  CREATE TRIGGER no_room BEFORE INSERT ON contents FOR EACH ROW EXECUTE FUNCTION no_room()`;
const SPACE_AGAIN = "DROP FUNCTION no_room CASCADE";
const NOTE = { kind: "note", body: "x" };

test("posts are refused while the disk is full, the probes do not say otherwise in between, and free space ends it without a restart", async () => {
  const log: string[] = [];
  await using board = await TestBoard.start({ log });
  const { id } = await board.put(board.agent(), NOTE);
  const lines = () =>
    log.map((line) => JSON.parse(line) as Record<string, string>).filter(({ msg }) => msg?.startsWith("writing") === true);
  using beside = openBeside(board.data);
  beside.exec(FULL);
  for (let i = 0; i < 5; i++) {
    expectRefusal(await board.post(board.agent(), NOTE), 503, "storage_full");
    board.clock.advance(2000);
    // Requests that the board sends meanwhile are answered before this one.
    expect((await board.get(`/api/messages/${id}`)).status).toBe(200);
    expectRefusal(await board.get("/readyz/writing"), 503, "storage_full");
  }
  expect((await board.get<string>("/metrics")).body).toMatch(/^blackboard_writable 0$/m);
  expect(lines()).toEqual([expect.objectContaining({ level: "error", code: "storage_full" })]);
  beside.exec(SPACE_AGAIN);
  await eventually("room", async () => {
    board.clock.advance(1000);
    return (await board.get("/readyz/writing")).status === 200 ? true : undefined;
  });
  expect((await board.post(board.agent(), NOTE)).status).toBe(201);
  expect(lines().map(({ msg }) => msg)).toEqual([expect.stringMatching(/^writing has stopped: the disk is full/), "writing works again"]);
  expect(beside.prepare("SELECT count(*) AS n FROM contents WHERE seq <= 0").get()).toEqual({ n: 0 });
});
