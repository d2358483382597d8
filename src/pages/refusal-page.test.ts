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
  logScript: undefined,
  miner: undefined,
  words: undefined,
  icon: "/i.svg",
};

const ID = "a".repeat(64);
const removed = (statement: object): string =>
  refusalPage(
    site,
    new Refusal("removed", "The message was removed.", {
      status: 410,
      about: ID,
      details: { at: "2026-01-31T12:00:00.000Z", statement },
    }),
  );

test("the page of a message that the operator removed says when, why and in whose words, as text, and how to contest it", () => {
  const page = removed({
    id: "sr_0123456789abcdef",
    visibility: "content_removed",
    ground: "illegal_content",
    category: "malware",
    facts: "It held <script>a trap</script>.",
    automated: false,
  });
  expect(page).toContain("<h1>Removed by the operator</h1>");
  expect(page).toMatch(/removed on <time [^>]+>31 Jan, 12:00 UTC<\/time> because it is against the law\./);
  expect(page).toMatch(/<dd>Malicious code<\/dd>/);
  expect(page).toMatch(/<dd>It held &lt;script&gt;a trap&lt;\/script&gt;\.<\/dd>/);
  expect(page).toMatch(/<dd>a person<\/dd>/);
  expect(page).toContain(`href="/report?target=${ID}&amp;contest=yes"`);
  // Words of the interface for programs.
  for (const word of ["content_removed", "illegal_content", "statement", "automated"]) expect(page).not.toContain(word);
});

test("where the operator allowed it again, the page says so and asks for nothing", () => {
  const page = removed({ id: "sr_0123456789abcdef", ground: "incompatible_content", category: "spam", facts: "No.", state: "reversed" });
  expect(page).toContain("<h1>Removed, and allowed again</h1>");
  expect(page).not.toContain("contest");
});

test("a prefix of several messages offers a choice", () => {
  const candidates = ["a".repeat(64), "b".repeat(64)];
  const page = refusalPage(site, new Refusal("ambiguous_id", undefined, { details: { candidates } }));
  for (const id of candidates) expect(page).toContain(`href="/m/${id}"`);
});

test("a reader that was too fast sees how long to wait", () => {
  expect(refusalPage(site, new Refusal("rate_limited", undefined, { details: { retry_after_s: 7 } }))).toContain("7 s");
});
