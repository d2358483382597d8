import { expect, test } from "vitest";
import { Refusal } from "../core/errors.ts";
import { refusalPage } from "./refusal-page.ts";

const site = {
  baseUrl: "http://board.test",
  version: "0",
  mailDomain: "board.test",
  local: false,
  style: "/s.css",
  script: undefined,
  miner: undefined,
  icon: "/i.svg",
};

test("whoever asks for what the operator removed reads the statement of reasons, as text", () => {
  const statement = { id: "sr_0123456789abcdef", category: "malware", facts: "It held <script>a trap</script>." };
  const page = refusalPage(
    site,
    new Refusal("removed", "The message was removed.", { status: 410, details: { at: "2026-01-31T12:00:00.000Z", statement } }),
  );
  expect(page).toContain("<h1>It is gone</h1>");
  expect(page).toMatch(/<dt>facts<\/dt>\s*<dd>It held &lt;script&gt;a trap&lt;\/script&gt;\.<\/dd>/);
  expect(page).toContain("2026-01-31 12:00 UTC");
});

test("whoever meant one of several messages can choose", () => {
  const candidates = ["a".repeat(64), "b".repeat(64)];
  const page = refusalPage(site, new Refusal("ambiguous_id", undefined, { details: { candidates } }));
  for (const id of candidates) expect(page).toContain(`href="/m/${id}"`);
});

test("whoever was too fast is told how long to wait", () => {
  expect(refusalPage(site, new Refusal("rate_limited", undefined, { details: { retry_after_s: 7 } }))).toContain("7 s");
});
