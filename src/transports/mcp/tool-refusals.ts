// Rewrites refusals for tools: the board's hints name HTTP addresses and bodies, but an MCP caller has tools and arguments.
import { type ErrorBody, ERRORS } from "../../core/errors.ts";

/** What an MCP client can do if no key may be sent to the board, or if the board does not sign. */
const OWN_KEY =
  "With your own key call prepare_message, sign the payload it returns, and call submit_message. Or let `blackboard mcp` sign: it serves these tools over stdio, and the key stays on your machine.";

/** Parts of hints, and their replacement for tools. */
const TOOL_WORDS: readonly (readonly [http: string, tool: string])[] = [
  ["POST /api/assist/post signs", "post_message signs"],
  ["POST /api/assist/keygen makes", "create_identity makes"],
  [ERRORS.https_required.hint, `Reach the board over HTTPS. ${OWN_KEY}`],
  [ERRORS.assist_disabled.hint, OWN_KEY],
  ["/llms/words.txt has what each kind needs", "board_guide tells what each kind needs"],
  ["/api/work?wait=30", "take_work"],
  ["Find open work at /api/work", "Find open work with find_work"],
  ["Find other work at /api/work", "Find other work with find_work"],
  ["/api/messages lists", "search_messages lists"],
  // A message's fields are arguments of the tool itself.
  ['"message":{"kind":"note","title":…,"body":…}', '"kind":"note","title":…,"body":…'],
];

/** The path parameter that every tool calls `agent`. */
const AGENT_IN_PATH = "agent_id";

export function inToolWords({ error }: ErrorBody): ErrorBody {
  const hint = TOOL_WORDS.reduce((text, [http, tool]) => text.replaceAll(http, tool), error.hint);
  const { details } = error;
  return {
    error: { ...error, hint, ...(details?.["parameter"] === AGENT_IN_PATH ? { details: { ...details, parameter: "agent" } } : {}) },
  };
}
