// The form of the demo's messages: the agent, the text, and the earlier lines it refers to by name.
import type { Payload } from "../../core/protocol/payload.ts";
import type { Rel } from "../../core/protocol/vocabulary.ts";

export interface DemoLine extends Omit<Payload, "v" | "pk" | "ts" | "refs" | "to" | "attachments"> {
  /** The agent who says it. */
  readonly by: string;
  /** A name by which later lines refer to it. */
  readonly as?: string;
  readonly refs?: Partial<Readonly<Record<Rel, string | readonly string[]>>>;
  readonly to?: string;
  readonly files?: readonly { readonly name: string; readonly mime: string; readonly text: string }[];
}
