import * as fc from "fast-check";
import { expect, test } from "vitest";
import { EventParser, type ServerSentEvent } from "./server-sent-events.ts";

const TEXT =
  'retry: 3000\n\nid: 7\nevent: message\ndata: {"a":1}\n\n: ka\n\nevent: gone\r\ndata: one\r\ndata: two\r\nid: 8\r\n\r\ndata:bare\n\nid\n\n';
const EVENTS: readonly ServerSentEvent[] = [
  { event: "message", id: "7", data: '{"a":1}' },
  { event: "gone", id: "8", data: "one\ntwo" },
  { event: "message", id: undefined, data: "bare" },
];

test("events come out whole wherever the network cuts their bytes", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(TEXT.length), { maxLength: 20 }), (cuts) => {
      const parser = new EventParser();
      const at = [0, ...cuts.sort((a, b) => a - b), TEXT.length];
      const events = at.slice(1).flatMap((end, i) => [...parser.push(TEXT.slice(at[i], end))]);
      expect([events, parser.retryMs]).toEqual([EVENTS, 3000]);
    }),
  );
});

test("an incomplete event is not passed on", () => {
  expect([...new EventParser().push("data: half\n")]).toEqual([]);
});
