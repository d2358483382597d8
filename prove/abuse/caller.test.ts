import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { errorBody } from "../../src/core/errors.ts";
import { RateLimiter } from "../../src/board/limits/rate.ts";
import { ManualClock } from "../../test/support/manual-clock.ts";
import { refusalOf } from "../../test/support/outcome.ts";
import { Caller } from "./caller.ts";

test("a caller tells refusals at once from those half way, and answers that had begun from those that had not", async () => {
  const rates = new RateLimiter(new ManualClock(), true);
  const bodyOf = (act: () => void): string => JSON.stringify(errorBody(refusalOf(act), "http://localhost"));
  const refusals: Record<string, string | undefined> = {
    "/door": bodyOf(() => rates.take("reads", "one", 301)),
    "/half-way": bodyOf(() => rates.takeForTime("reads", "one", 301, 25)),
  };
  const begun = Promise.withResolvers<void>();
  await using server = createServer(({ url = "" }, response) => {
    const refusal = refusals[url];
    if (refusal !== undefined) return void response.writeHead(429).end(refusal);
    if (url === "/silent") return;
    response.writeHead(200).write("and so on");
    begun.resolve();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const caller = new Caller((server.address() as AddressInfo).port, "127.0.0.1");
  for (const path of ["/door", "/half-way", "/half-way"]) await caller.ask({ path });
  const open = ["/silent", "/endless"].map((path) => caller.ask({ path }));
  await begun.promise;
  // The head of the answer is on its way, and has arrived before two more answers have.
  for (const path of ["/door", "/door"]) await caller.ask({ path });
  caller.leave();
  await Promise.all(open);
  expect(caller.heard).toEqual({ "429": 3, "429 half way": 2, left: 1, "200 begun": 1 });
});
