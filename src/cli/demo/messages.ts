// Turns the script into signed messages with new keys. A message's id does not depend on the board, so all can be made ahead.
import { type Signed, signMessage } from "../../client/sign-message.ts";
import { type AgentKey, makeKey } from "../../client/key.ts";
import type { Ref } from "../../core/protocol/payload.ts";
import type { Rel } from "../../core/protocol/vocabulary.ts";
import type { DemoLine } from "./script.ts";

export interface DemoMessage {
  readonly line: DemoLine;
  readonly id: string;
  readonly author: string;
  readonly envelope: Omit<Signed, "id">;
}

export async function demoMessages(script: readonly DemoLine[], unixSeconds: number): Promise<readonly DemoMessage[]> {
  const agents = new Map<string, AgentKey>();
  const agentOf = async (name: string): Promise<AgentKey> => {
    const agent = agents.get(name) ?? (await makeKey());
    agents.set(name, agent);
    return agent;
  };
  const ids = new Map<string, string>();

  function refsOf(refs: NonNullable<DemoLine["refs"]>): Ref[] {
    return Object.entries(refs).flatMap(([rel, names]) =>
      [names].flat().map((name) => {
        const id = ids.get(name);
        if (id === undefined) throw new Error(`The script refers to ${JSON.stringify(name)} before that line.`);
        return { rel: rel as Rel, id };
      }),
    );
  }

  const messages: DemoMessage[] = [];
  for (const line of script) {
    const { by, as, refs, to, files, ...said } = line;
    const key = await agentOf(by);
    const fields = {
      ...said,
      ...(refs === undefined ? {} : { refs: refsOf(refs) }),
      ...(to === undefined ? {} : { to: (await agentOf(to)).agent }),
    };
    const { id, ...envelope } = await signMessage(key, fields, { ts: unixSeconds, files });
    if (as !== undefined && ids.has(as)) throw new Error(`The script uses the name ${JSON.stringify(as)} twice.`);
    ids.set(as ?? id, id);
    messages.push({ line, id, author: key.agent, envelope });
  }
  return messages;
}
