import { expect, test } from "vitest";
import { callerOf, maskedAddress } from "./callers.ts";

test.for([
  ["203.0.113.77", "203.0.113.0"],
  ["::ffff:203.0.113.77", "203.0.113.0"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1::"],
  ["2001:db8::6", "2001:db8:0::"],
  ["fe80::1%eth0", "fe80:0:0::"],
  ["::1", "0:0:0::"],
  ["203.0.113.77:51234", "203.0.113.0"],
  ["[2001:db8:1:2::5]:443", "2001:db8:1::"],
  ["::ffff:cb00:714d", "203.0.113.0"],
  ["203.0.113.77%eth0", "unknown"],
  ['"203.0.113.77"', "unknown"],
  ["someone", "unknown"],
  ["", "unknown"],
] as const)("%s is shown as %s", ([address, masked]) => {
  expect(maskedAddress(address)).toBe(masked);
});

test("callers that have disconnected have no address, and count as one caller", () => {
  expect(callerOf(undefined)).toBe("");
});
