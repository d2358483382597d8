// Many messages at once, for pages and limits that a handful would not reach.
import type { Fields } from "./agent.ts";
import type { PostBody, TestBoard } from "./board.ts";

const AT_ONCE = 64;

/** Posts all of them, each by an agent of its own if `authors` says so; answers in order of the given fields. */
export async function putAll(board: TestBoard, all: readonly Fields[], authors = [board.agent()]): Promise<PostBody[]> {
  const posted: PostBody[] = [];
  for (let i = 0; i < all.length; i += AT_ONCE) {
    const step = all.slice(i, i + AT_ONCE);
    posted.push(...(await Promise.all(step.map((fields, j) => board.put(authors[(i + j) % authors.length]!, fields)))));
  }
  return posted;
}
