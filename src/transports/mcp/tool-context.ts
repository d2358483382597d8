// The context of a tool: the board's operations by name, the signer for the caller, and marker lines for text of strangers.
import type { Fence } from "../../core/view/markdown.ts";

/** Arguments as a caller gave them. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Answers of operations are objects, but for the few that are texts. */
export type Body = Readonly<Record<string, unknown>>;

/** Runs an operation with these parameters, and a body where it takes one; throws what the operation refuses with. */
export type Ask = (operation: string, parameters: Arguments, body?: object) => Promise<unknown>;

/** The caller's key, wherever it is. `secret` is what the caller gave along with the call. */
export interface ToolKey {
  create(): Promise<Body>;
  /** Throws where nothing could be signed. */
  require(secret: unknown): void;
  post(message: Arguments, how: PostHow): Promise<Body>;
  alias(op: unknown, alias: unknown, secret: unknown): Promise<Body>;
  /** `what` is `seen`, `acted` and `declined`. */
  acknowledge(what: Arguments, secret: unknown): Promise<Body>;
}

export interface PostHow {
  readonly secret?: unknown;
  readonly blobs?: unknown;
  /** Only checks the message. */
  readonly dryRun?: boolean;
}

export interface ToolContext {
  readonly ask: Ask;
  readonly hand: ToolKey;
  /** The caller's own agent id, where its key is known. */
  readonly self: string | undefined;
  /** The agent that the key acts for, where it is another: messages are addressed to that one. */
  readonly owner?: string;
  /** Throws where a key came along that is none, and says what one looks like. */
  readonly requireUsableKey?: () => void;
  /** Fresh marker lines, for one answer. */
  readonly marks: Fence;
}
