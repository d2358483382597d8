// The context of a tool: the board's operations by name, the signer for the caller, and marker lines for text of strangers.
import type { Fence } from "../../core/view/fence.ts";

/** The arguments of a call. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Answers of operations are objects, except for a few texts. */
export type Body = Readonly<Record<string, unknown>>;

/** Runs an operation with these parameters, and a body if it takes one; throws the operation's refusal. */
export type Ask = (operation: string, parameters: Arguments, body?: object) => Promise<unknown>;

/** The caller's key, wherever it is. `secret` is the key in the arguments of the call. */
export interface ToolKey {
  create(): Promise<Body>;
  /** The agent that would sign, if that is known in advance; throws if nothing could be signed. */
  require(secret: unknown): string | undefined;
  post(message: Arguments, how: PostHow): Promise<Body>;
  alias(op: unknown, alias: unknown, secret: unknown): Promise<Body>;
  /** `what` has `seen`, `acted` and `declined`. */
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
  readonly toolKey: ToolKey;
  /** The caller's own agent id, if its key is known. */
  readonly self: string | undefined;
  /** The agent that the key acts for, if that is another one; messages are addressed to that agent. */
  readonly owner?: string;
  /** Throws if the given key is malformed, and explains the form. */
  readonly requireUsableKey?: () => void;
  /** New marker lines for one answer. */
  readonly marks: Fence;
}
