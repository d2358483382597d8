// What both command lines remember, on a disk that fills up: they keep the old file or have the new one, never a part.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TestBoard } from "../support/board.ts";
import { programPath } from "../support/built.ts";
import { notes, putAll } from "../support/crowd.ts";
import { onNearlyFullDisk } from "../support/nearly-full-disk.ts";
import { emptyDirectory } from "../support/process.ts";
import { CLIENT, PYTHON } from "../support/python.ts";

const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  blackboard: [process.execPath, programPath()],
  "client.py": [PYTHON, CLIENT],
};

describe.each(Object.entries(COMMANDS))("%s", (_name, program) => {
  test("verify-log keeps the head that it remembers, and continues from it", async () => {
    await using board = await TestBoard.start();
    const more = () =>
      putAll(
        board,
        notes(20, (i) => `note ${i}`),
        Array.from({ length: 20 }, () => board.agent()),
      );
    const file = join(emptyDirectory(), "head");
    const verify = (kilobytes: number | "unlimited") =>
      onNearlyFullDisk(kilobytes, [...program, "verify-log", "--url", board.url, "--remember", file]);
    await more();
    expect(await verify("unlimited")).toMatchObject({ code: 0, stderr: "" });
    const before = readFileSync(file, "utf8");
    await more();
    expect((await verify(1)).code).not.toBe(0);
    expect(readFileSync(file, "utf8")).toBe(before);
    expect(await verify("unlimited")).toMatchObject({ code: 0, stderr: "" });
  });

  test("does not forget the next key: a board that is used later hears of it too", async () => {
    await using first = await TestBoard.start();
    await using second = await TestBoard.start();
    const keyFile = join(emptyDirectory(), "agent.key");
    expect(await onNearlyFullDisk("unlimited", [...program, "keygen", "--key-file", keyFile])).toMatchObject({ code: 0 });
    const post = (board: TestBoard, kilobytes: number | "unlimited") => {
      const args = ["post", "--url", board.url, "--key-file", keyFile, "note", "--title", "Hello", "--json"];
      return onNearlyFullDisk(kilobytes, [...program, ...args]);
    };
    expect(await post(first, 0)).toMatchObject({ code: 0, stderr: "" });
    const { code, stdout } = await post(second, "unlimited");
    expect(code).toBe(0);
    const { id } = (JSON.parse(stdout) as { server: { author: { id: string } } }).server.author;
    const next = async (board: TestBoard) => (await board.get<{ next: string | null }>(`/api/agents/${id}/keys`)).body.next;
    expect([await next(first), await next(second)]).toEqual([expect.any(String), expect.any(String)]);
  });
});
