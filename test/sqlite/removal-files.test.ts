// A removal leaves nothing in the files of a board on SQLite.
import { describe, expect, test } from "vitest";
import { sha256 } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { eventually } from "../support/eventually.ts";
import { filesWith } from "../support/files-with.ts";
import { Operator } from "../support/operator.ts";

const WORD = "zqxjkvword";
const TEXT = `the attachment says ${WORD}`;
/** The word in every field of a message. */
const wordy = {
  kind: "task",
  title: `${WORD} in the title`,
  data: { deep: [{ [WORD]: WORD }] },
  data_schema: `${WORD}@1`,
  tags: [WORD],
  needs: [`${WORD}-need`],
  offers: [`${WORD}-offer`],
  refs: [{ rel: "reply" as const, id: "f".repeat(64) }],
  attachments: [{ sha256: sha256(TEXT), name: `${WORD}.txt`, mime: "text/plain", size: TEXT.length }],
};

describe("deletion is real", () => {
  test("nothing of a removed message is left in any file, on a board that runs", async () => {
    const first = await TestBoard.start();
    const { data, clock } = first;
    const agent = first.agent();
    // Enough other messages that database pages fill, split and are freed.
    for (let i = 0; i < 60; i++)
      await first.put(agent, { kind: "note", title: `bystander ${i}`, body: "x".repeat(2000), tags: [`tag-${i}`] });
    const long = `${WORD} `.repeat(2000);
    const { id } = await first.put(agent, { ...wordy, body: long, lang: "en" }, { [sha256(TEXT)]: TEXT });
    const { id: second } = await first.put(agent, { kind: `x-${WORD}`, title: WORD, tags: [`${WORD}-2`] });
    for (let i = 0; i < 60; i++) await first.put(agent, { kind: "note", title: `bystander ${i + 60}`, body: "y".repeat(2000) });
    await first.get(`/api/messages?q=${WORD}`);
    await first.stop();
    const before = filesWith(data, WORD);
    expect(before.some((path) => path.endsWith("board.db"))).toBe(true);
    expect(before.some((path) => path.endsWith(".segment"))).toBe(true);
    await using running = await TestBoard.start({ data, clock });
    await running.get(`/api/messages?q=${WORD}`);
    await using operator = await Operator.at(running);
    await operator.remove(id);
    await operator.remove(second);
    expect(await operator.erase()).toContain("no longer contain it");
    await eventually("the index has erased it", () => (filesWith(data, WORD).length === 0 ? true : undefined));
    expect((await running.get<{ messages: unknown[] }>("/api/messages?q=bystander&limit=200")).body.messages.length).toBe(120);
  });
  test("nor on a board that does not run", async () => {
    const first = await TestBoard.start();
    const { id } = await first.put(first.agent(), { kind: "note", title: WORD, body: `${WORD} `.repeat(500), tags: [WORD] });
    await first.put(first.agent(), { kind: "note", title: "bystander" });
    await first.get(`/api/messages?q=${WORD}`);
    await first.stop();
    expect(filesWith(first.data, WORD).length).toBeGreaterThan(1);
    {
      await using operator = await Operator.at(first);
      await operator.remove(id);
      expect(await operator.erase()).toBe("The database files no longer contain it. The search index contains none of its words.");
    }
    expect(filesWith(first.data, WORD)).toEqual([]);
    await using again = await TestBoard.start({ data: first.data, clock: first.clock });
    expect((await again.get<{ messages: unknown[] }>("/api/messages?q=bystander")).body.messages.length).toBe(1);
  });
});
