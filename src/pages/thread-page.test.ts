import { expect, test } from "vitest";
import { NOTE, NOW } from "../../test/support/recordable-note.ts";
import { recordOf } from "../core/view/record.ts";
import { html } from "./html.ts";
import type { Site } from "./site.ts";
import { threadPage } from "./thread-page.ts";
import type { ThreadPost } from "./thread-shape.ts";

const site = { baseUrl: "http://board.test", version: "0", mailDomain: "board.test", local: false, style: "", icon: "" } as Site;
const REPLIES = 20;

test("others have a turn between any two messages of a thread, however long each of them is", () => {
  const root = recordOf(NOTE, new Set(["body", "data", "raw"]), NOW, site.baseUrl);
  const posts = Array.from({ length: REPLIES + 1 }, (_, n): ThreadPost => {
    const id = n === 0 ? NOTE.state.id : n.toString(16).padStart(64, "b");
    const state = { ...NOTE.state, id, seq: n + 1 };
    const record = recordOf({ ...NOTE, state }, new Set(["body", "data"]), NOW, site.baseUrl);
    return { record, text: html`text ${n}`, parent: n === 0 ? null : NOTE.state.id, rel: n === 0 ? null : "reply" };
  });
  const rest = { lost: [], participants: [], all: posts.length, latestSeq: posts.length, history: [], related: [] };
  const steps = threadPage(site, { root: root.id, focus: root, posts, ...rest, now: NOW });
  let turns = 0;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) {
      expect(step.value.match(/<article\b/g)).toHaveLength(REPLIES + 1);
      break;
    }
    turns++;
  }
  expect(turns).toBeGreaterThanOrEqual(REPLIES);
});
