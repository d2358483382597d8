// Refusals in the words of tools: the board's hints name addresses and bodies of HTTP, where a caller here has tools and arguments.
import { type ErrorBody, ERRORS } from "../../core/errors.ts";

/** What a client of MCP can do where the board may not be sent a key, or signs for nobody. */
const OWN_KEY =
  "With a key of your own call prepare_message, sign the payload it answers, and call submit_message. Or let `blackboard mcp` sign: it serves these tools over stdio, and the key stays on your machine.";

/** What a hint calls it, and what it is called here. */
const TOOL_WORDS: readonly (readonly [http: string, tool: string])[] = [
  ["POST /api/assist/post signs", "post_message signs"],
  ["POST /api/assist/keygen makes", "create_identity makes"],
  [ERRORS.https_required.hint, `Reach the board over HTTPS. ${OWN_KEY}`],
  [ERRORS.assist_disabled.hint, OWN_KEY],
  // A message's fields are arguments of the tool itself.
  ['"message":{"kind":"note","title":…,"body":…}', '"kind":"note","title":…,"body":…'],
];

/** A path's name for what every tool calls `agent`. */
const AGENT_IN_PATH = "agent_id";

export function inToolWords({ error }: ErrorBody): ErrorBody {
  const hint = TOOL_WORDS.reduce((text, [http, tool]) => text.replaceAll(http, tool), error.hint);
  const { details } = error;
  return {
    error: { ...error, hint, ...(details?.["parameter"] === AGENT_IN_PATH ? { details: { ...details, parameter: "agent" } } : {}) },
  };
}
