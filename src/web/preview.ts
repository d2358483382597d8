// The preview of a text, rendered by the board with the same rules as on pages.
import type { Board } from "../client/client.ts";
import { documentIn } from "./parse-board-html.ts";
import { make } from "./dom.ts";
import { UNREACHABLE } from "./refusal-words.ts";

export async function preview(board: Board, body: string): Promise<HTMLElement> {
  const answer = await board
    .fetch(`${board.url}/preview`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ body }),
    })
    .catch(() => undefined);
  if (answer === undefined) return make("p", { className: "fault", role: "alert" }, UNREACHABLE);
  const made = make("div", { className: "prose" });
  if (!answer.ok) made.textContent = body;
  else made.append(...(await documentIn(answer)).body.childNodes);
  return make("div", { className: "said previewed", dir: "auto" }, made);
}
