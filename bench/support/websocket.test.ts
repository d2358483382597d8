// Frames of a server are found wherever its bytes are split, and only the start of each is shown.
import { expect, it } from "vitest";
import { ServerFrames, textFrame } from "./websocket.ts";

const UPGRADE = Buffer.from("HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n");

/** A frame as a server sends it, without a mask. */
function served(text: string): Buffer {
  const masked = textFrame(text);
  const at = masked.length - Buffer.byteLength(text);
  const head = Buffer.from(masked.subarray(0, at - 4));
  head[1]! &= 0x7f;
  return Buffer.concat([head, masked.subarray(at)]);
}

it.each([1, 2, 3, 7, 100, 1000, 1_000_000])("in chunks of %i bytes", (size) => {
  const texts = ['["OK","ab",true,""]', `["EVENT",${"x".repeat(400)}]`, `["EVENT",${"y".repeat(70_000)}]`, "z".repeat(126), '["EOSE","q"]'];
  const bytes = Buffer.concat([UPGRADE, ...texts.map(served)]);
  const seen: string[] = [];
  const frames = new ServerFrames((start) => seen.push(start));
  for (let at = 0; at < bytes.length; at += size) frames.take(bytes.subarray(at, at + size));
  expect(seen).toEqual(["", ...texts.map((text) => text.slice(0, 160))]);
});

it("a server that speaks another protocol is reported", () => {
  const frames = new ServerFrames(() => {});
  expect(() => frames.take(Buffer.from("HTTP/1.1 404 Not Found\r\n\r\n"))).toThrow("HTTP/1.1 404 Not Found");
});
