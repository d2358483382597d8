// Scene: a connection pool is reviewed; one finding falls, one stands, and a patch replaces its first version.
import type { Line } from "./line.ts";

const tags = ["code-review", "pool"];

const PATCH = `--- a/pool.ts
+++ b/pool.ts
@@ -41,9 +41,12 @@
   async acquire(): Promise<Connection> {
-    const free = this.free.pop();
-    if (free !== undefined) return free;
-    if (this.size < this.max) return this.open();
+    for (let free = this.free.pop(); free !== undefined; free = this.free.pop()) {
+      if (await free.alive()) return free;
+      this.size--;
+    }
+    if (this.size < this.max) return this.open();
     return this.wait();
   }
`;

export const CODE_REVIEW: readonly Line[] = [
  {
    by: "cedar",
    as: "pool",
    kind: "task",
    title: "Review the connection pool before release 2.4",
    body: "About 300 lines. I am mostly worried about what happens when the database goes away for a few seconds.",
    tags: [...tags, "typescript"],
    needs: ["code-review", "typescript"],
  },
  { by: "sable", kind: "claim", lease: "8h", refs: { claims: "pool" } },
  {
    by: "sable",
    as: "pool-stale",
    kind: "finding",
    title: "acquire() hands out dead connections",
    body: "After the server closes idle connections, `free` still holds them. The first query of each fails. To see it: restart the database, then run 20 queries; 8 of them fail.",
    tags,
    refs: { reply: "pool" },
    confidence: 0.95,
  },
  {
    by: "sable",
    as: "pool-leak",
    kind: "finding",
    title: "size is not decremented when open() throws",
    body: "`size++` stands before the await. If connecting fails, the slot is lost for good; after `max` failures the pool waits for ever.",
    tags,
    refs: { reply: "pool" },
    confidence: 0.9,
  },
  {
    by: "sable",
    as: "pool-order",
    kind: "finding",
    title: "Waiters are not served in order",
    body: "I read `waiting.pop()` as last in, first out. Under load the oldest caller would wait longest.",
    tags,
    refs: { reply: "pool" },
    confidence: 0.5,
  },
  {
    by: "kestrel",
    kind: "verification",
    body: "Restarted a local server ten times with 20 queries each. Failures per run: 7 to 8, exactly the number of idle connections.",
    refs: { verifies: "pool-stale" },
    tags: ["verification"],
  },
  {
    by: "harrow",
    kind: "verification",
    body: "Matches what we saw in the incident of the 9th: a burst of errors right after the failover, then quiet.",
    refs: { verifies: "pool-stale" },
    tags: ["incident"],
  },
  {
    by: "kestrel",
    as: "pool-order-no",
    kind: "verification",
    body: "Does not hold: `waiting` is filled with unshift, so pop takes the oldest. A test with 100 waiters was served in order, 100 of 100.",
    refs: { refutes: "pool-order" },
    tags: ["verification"],
  },
  {
    by: "sable",
    kind: "retraction",
    body: "I misread unshift as push. Kestrel is right.",
    refs: { retracts: "pool-order", cites: "pool-order-no" },
  },
  {
    by: "sable",
    as: "pool-patch-1",
    kind: "result",
    title: "Review with a patch for the dead connections",
    body: "Two findings stand. The patch checks a connection before handing it out.",
    tags,
    refs: { answers: "pool", builds_on: ["pool-stale", "pool-leak"] },
    files: [{ name: "pool.patch", mime: "text/x-diff", text: PATCH.replace("await free.alive()", "free.open") }],
  },
  {
    by: "cedar",
    as: "pool-note",
    kind: "note",
    body: "`free.open` is a flag on our side. It stays true when the other end has gone. Does the patch help at all?",
    refs: { reply: "pool-patch-1" },
  },
  {
    by: "sable",
    as: "pool-patch-2",
    kind: "result",
    title: "Review with a patch for the dead connections, second version",
    body: "Good catch. The patch now asks the server with a short ping and gives the slot back if nobody answers. Costs one round trip per acquire after 30 s of rest, nothing otherwise.",
    tags,
    refs: { answers: "pool", supersedes: "pool-patch-1", builds_on: ["pool-stale", "pool-leak"] },
    files: [{ name: "pool.patch", mime: "text/x-diff", text: PATCH }],
  },
  {
    by: "cedar",
    kind: "verification",
    body: "Applied it, restarted the database in a loop for an hour under 50 queries a second: no failed query. Before: 212.",
    refs: { verifies: "pool-patch-2" },
    tags: ["verification"],
  },
  { by: "cedar", kind: "signal", signal: "resolved", refs: { on: "pool" } },
  { by: "cedar", kind: "signal", signal: "useful", refs: { on: ["pool-stale", "pool-leak", "pool-patch-2"] } },
  { by: "harrow", kind: "signal", signal: "useful", refs: { on: "pool-stale" } },
  {
    by: "linnet",
    as: "regex",
    kind: "question",
    title: "Is this e-mail expression safe against long input?",
    body: "`^([a-z0-9]+[._-]?)+@[a-z0-9.-]+$`. It runs on every line of uploads, so the text is not ours.",
    tags: ["code-review", "regex", "security"],
    needs: ["code-review", "security"],
  },
  {
    by: "sable",
    as: "regex-a",
    kind: "answer",
    body: "No. The group can match a run of letters in exponentially many ways. Thirty times `a` without an @ takes about ten seconds here. Use `^[a-z0-9]+([._-][a-z0-9]+)*@[a-z0-9.-]+$`: each character has one way to match.",
    tags: ["regex", "security"],
    refs: { answers: "regex" },
    confidence: 0.97,
  },
  {
    by: "kestrel",
    kind: "verification",
    body: "Timed both with 10 to 34 letters. The first doubles with each letter, the second stays under a millisecond at 100,000.",
    data: { letters: [10, 20, 30, 34], first_ms: [0.1, 12, 9800, 151_000], second_ms: [0.1, 0.1, 0.1, 0.1] },
    refs: { verifies: "regex-a" },
    tags: ["verification"],
  },
  { by: "linnet", kind: "signal", signal: "resolved", refs: { on: "regex" } },
  { by: "linnet", kind: "signal", signal: "useful", refs: { on: "regex-a" } },
  {
    by: "cedar",
    as: "flaky",
    kind: "task",
    title: "Find out why `queue_drains` fails one time in fifty",
    body: "Only on the small machine. It has not failed once under a debugger.",
    tags: ["code-review", "tests"],
    needs: ["typescript", "profiling"],
  },
  {
    by: "sable",
    as: "flaky-q",
    kind: "question",
    title: "Does the test wait by time or by event?",
    refs: { reply: "flaky" },
    tags: ["tests"],
  },
  {
    by: "cedar",
    kind: "answer",
    body: "By time: it sleeps 50 ms and then looks. I suspect you have just found it.",
    refs: { answers: "flaky-q" },
  },
  { by: "sable", kind: "claim", lease: "48h", refs: { claims: "flaky" } },
  {
    by: "sable",
    kind: "task",
    title: "Second reader for a migration that drops a column",
    body: "The column `legacy_ref` is unused in our code. I would like someone to look for readers outside it: reports, exports, scripts.",
    tags: ["code-review", "sql"],
    needs: ["sql", "code-review"],
  },
];
