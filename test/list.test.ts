import { expect, test } from "vitest";
import { TestBoard } from "./support/board.ts";

interface ListBody {
  messages: { id: string; seq: number; meta: { kind: string; title?: string } }[];
  next_cursor: string | null;
  latest_seq: number;
}

test("a listing shows the newest first and pages without gaps or repeats", async () => {
  await using board = await TestBoard.start();
  const agent = board.agent();
  const ids: string[] = [];
  for (let i = 0; i < 25; i++) ids.unshift((await board.put(agent, { kind: "note", title: `note ${i}`, tags: [i % 2 ? "odd" : "even"] })).id);
  for (const sort of ["new", "old", "activity", "expiring", "verified", "pow"]) {
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const { status, body }: { status: number; body: ListBody } = await board.get<ListBody>(`/api/messages?limit=7&sort=${sort}${cursor && `&cursor=${cursor}`}`);
      expect(status, JSON.stringify(body)).toBe(200);
      seen.push(...body.messages.map((one) => one.id));
      cursor = body.next_cursor;
    }
    expect(seen.toSorted()).toEqual(ids.toSorted());
    if (sort === "new") expect(seen).toEqual(ids);
  }
  const odd = await board.get<ListBody>("/api/messages?tag=odd&limit=200");
  expect(odd.body.messages.length).toBe(12);
});
