// Replies that came before the message they reply to: its author gets them, and they delay nobody.
import { expect, test } from "vitest";
import { ADOPTED_REPLIES } from "../../src/core/message/message-state.ts";
import { messageId } from "../../src/core/protocol/message-and-agent-ids.ts";
import type { MessageRecord } from "../../src/core/view/record.ts";
import { TestBoard } from "../support/board.ts";
import { putAll } from "../support/crowd.ts";

test("the first thousand reach the inbox, all are counted, and ended ones are no longer counted", async () => {
  await using board = await TestBoard.start();
  const [author, crowd] = [board.agent(), board.agent()];
  const envelope = author.envelope({ kind: "note", title: "long awaited" });
  const id = messageId(envelope.payload);
  const refs = [{ rel: "reply" as const, id }];
  const count = ADOPTED_REPLIES + 200;
  const replies = await putAll(
    board,
    Array.from({ length: count }, (_, n) => ({ kind: "note", title: `early ${n}`, refs })),
    [crowd],
  );
  const ends = (n: number) => board.put(crowd, { kind: "retraction", refs: [{ rel: "retracts", id: replies[n]?.id ?? "" }] });
  const shown = async () => (await board.get<MessageRecord>(`/api/messages/${id}`)).body.derived.replies;
  for (let n = 0; n < 5; n++) expect((await board.send(JSON.stringify(envelope), "/api/messages?dry_run=1")).status).toBe(200);
  // At the same moment, some of the counted replies end, near the front and far behind.
  const [posted] = await Promise.all([board.send(JSON.stringify(envelope)), ends(3), ends(count - 1), ends(count - 2)]);
  expect(posted.status).toBe(201);
  expect(await shown()).toBe(count - 3);

  const inbox = new Set<string>();
  for (let cursor: string | null = ""; cursor !== null;) {
    const { body }: { body: { messages: MessageRecord[]; next_cursor: string | null } } = await board.get(
      `/api/inbox/${author.id}?limit=200${cursor && `&cursor=${cursor}`}`,
    );
    for (const one of body.messages) inbox.add(one.id);
    cursor = body.next_cursor;
  }
  expect(inbox.size).toBeGreaterThanOrEqual(ADOPTED_REPLIES - 1);
  expect(inbox.size).toBeLessThanOrEqual(ADOPTED_REPLIES);
  for (const n of [0, 1, 2, 4, 500]) expect(inbox).toContain(replies[n]?.id);
  expect(inbox).not.toContain(replies[count - 5]?.id);
  await ends(count - 5);
  expect(await shown()).toBe(count - 4);
});
