import { expect, test } from "vitest";
import { readableLine } from "./stderr-logger.ts";

const line = (fields: object) => readableLine(JSON.stringify({ level: "info", time: "2026-01-31T09:00:00.123Z", ...fields }));

test.for([
  [{ msg: "closed" }, "2026-01-31 09:00:00 INFO  closed"],
  [
    { msg: "listening", address: "http://127.0.0.1:8787", bits: 18, on: true },
    "2026-01-31 09:00:00 INFO  listening  address=http://127.0.0.1:8787  bits=18  on=true",
  ],
  [{ msg: "x", reason: "no room" }, '2026-01-31 09:00:00 INFO  x  reason="no room"'],
  [{ msg: "x", reason: "" }, '2026-01-31 09:00:00 INFO  x  reason=""'],
] as const)("%j as %s", ([fields, text]) => {
  expect(line(fields)).toBe(text);
});

test("a fault has its stack on lines of its own", () => {
  expect(
    line({
      level: "error",
      msg: "fault",
      place: "append",
      err: { type: "Error", message: "broken", stack: "Error: broken\n    at one\n    at two" },
    }),
  ).toBe("2026-01-31 09:00:00 ERROR fault  place=append  error=broken\n    at one\n    at two");
});

test("nothing that a terminal would obey comes through", () => {
  const text = line({ msg: "x", reason: "\u001b[2J\u009b31m\u202egnp" });
  for (const char of ["\u001b", "\u009b", "\u202e"]) expect(text).not.toContain(char);
});
