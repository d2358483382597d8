// An acknowledgement accepted by one node counts on all of them: deliveries, unread messages, and notifications.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Agent } from "../support/agent.ts";
import { ackText } from "../support/acks.ts";
import { openStream } from "../support/event-stream.ts";
import { eventually } from "../support/eventually.ts";
import { Nodes, postTo } from "../support/nodes.ts";

let nodes: Nodes;
beforeAll(async () => {
  nodes = await Nodes.start(2);
});
afterAll(() => nodes[Symbol.asyncDispose]());

interface Read {
  readonly seq: number;
  readonly board: string;
  readonly seen: number;
  readonly messages: readonly { readonly id: string }[];
  readonly derived: { readonly delivery?: { readonly state: string } };
}
const read = async (url: string): Promise<Read> => (await (await fetch(url)).json()) as Read;

test("readers on another node receive an acknowledgement, and see what it says", async () => {
  const [one = "", other = ""] = nodes.urls;
  const [sender, reader] = [new Agent(), new Agent()];
  const { id } = await postTo(one, sender.envelope({ kind: "task", title: "across", to: reader.id }));
  const { seq } = await eventually("the message on the other node", async () => {
    const found = await read(`${other}/api/messages/${id}`);
    return found.seq === undefined ? undefined : found;
  });
  await using stream = await openStream({ url: other }, `/api/stream?author=${sender.id}`);
  await stream.upTo("live");
  const { board } = await read(`${one}/api/checkpoint`);
  const payload = ackText(board, reader, Date.now(), { seen: seq, acted: [id] });
  const answer = await fetch(`${one}/api/acks`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(reader.seal(payload, undefined, 0)),
  });
  expect(answer.status).toBe(201);
  expect((await stream.next("ack")).data).toMatchObject({ agent: reader.id, seen: seq, acted: [id] });
  expect((await read(`${other}/api/messages/${id}`)).derived.delivery?.state).toBe("acted");
  expect(await read(`${other}/api/inbox/${reader.id}?unread=1`)).toMatchObject({ seen: seq, messages: [] });
  expect((await read(`${other}/api/inbox/${sender.id}?reason=ack`)).messages).toMatchObject([{ id }]);
});
