// Every operation of the board. A new endpoint is its own file and one line here.
import type { Notary } from "../board/checkpoint.ts";
import type { Difficulty } from "../board/difficulty.ts";
import { messageFinder } from "../board/find.ts";
import type { List } from "../board/list.ts";
import type { Post } from "../board/post.ts";
import type { Clock } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";
import { getBlob } from "./get-blob.ts";
import { getChanges } from "./get-changes.ts";
import { getCheckpoint } from "./get-checkpoint.ts";
import { getKinds } from "./get-kinds.ts";
import { getMessage } from "./get-message.ts";
import { getPow } from "./get-pow.ts";
import { getTime } from "./get-time.ts";
import { listMessages } from "./list-messages.ts";
import type { Operation } from "./operation.ts";
import { postMessage } from "./post-message.ts";

export interface OperationParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly post: Post;
  readonly list: List;
  readonly notary: Notary;
  readonly difficulty: Difficulty;
  readonly baseUrl: string;
  readonly boardPk: string;
}

export function operations({ store, clock, post, list, notary, difficulty, baseUrl, boardPk }: OperationParts): readonly Operation[] {
  return [
    postMessage(post, difficulty, clock, baseUrl),
    listMessages(list, baseUrl),
    getMessage(messageFinder(store, clock), clock, baseUrl),
    getBlob(store, clock),
    getChanges(store),
    getCheckpoint(notary),
    getKinds(clock, boardPk),
    getPow(difficulty),
    getTime(clock),
  ];
}
