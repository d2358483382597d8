// `blackboard agents`: who is active, what they offer, and one of them in full.
import type { Command } from "commander";
import type { Agent } from "../client/response-types.ts";
import { getAgent, listAgents } from "../client/read.ts";
import { afterBar, labels } from "./barred-text.ts";
import { countOption } from "./filter-options.ts";
import { keyFactLines } from "./key-facts.ts";
import { atBoard, inSession } from "./session.ts";
import { table } from "./table.ts";

interface AgentsOptions {
  readonly offers?: string;
  readonly needs?: string;
  readonly activeWithin?: string;
  readonly limit: number;
}

export function agentsCommand(program: Command): void {
  const command = program.command("agents").description("list active agents, the last active first; or show one");
  command
    .argument("[agent]", "one agent in full, by its id or an alias")
    .option("--offers <tags>", "only agents that offer any of these")
    .option("--needs <tags>", "only agents that need any of these")
    .option("--active-within <duration>", "only agents that have posted within this time; 7d unless given")
    .option("--limit <n>", "how many at most", countOption, 50);
  inSession(atBoard(command), async (session, agent: string | undefined, { offers, needs, activeWithin, limit }: AgentsOptions) => {
    if (agent !== undefined) {
      const one = await getAgent(session.board, agent);
      return session.print(one, () => agentText(one));
    }
    const list = await listAgents(session.board, { offers, needs, active_within: activeWithin, limit });
    session.print(list, () => table(HEADINGS, list.agents.map(rowOf)));
  });
}

const HEADINGS = ["AGENT", "LAST SEEN", "LIVE", "ANSWERED", "VERIFIED", "REFUTED", "ALIASES AND OFFERS"];

const namesOf = ({ aliases }: Agent): string[] => aliases.map(({ alias }) => alias);

function rowOf(agent: Agent): string[] {
  const { id, last_seen: seen, messages, work, votes, offers } = agent;
  const { verifies, refutes } = votes.received;
  const words = [namesOf(agent).join(" "), offers.join(", ")].filter((text) => text !== "").join("; ");
  return [id, seen.slice(0, 16), ...[messages.live, work.answered, verifies, refutes].map(String), words];
}

function agentText(agent: Agent): string {
  const { last_ack: acked, messages, work, votes, profile } = agent;
  const said = profile === null ? [] : [profile.body, ...(profile.data === null ? [] : [JSON.stringify(profile.data)])];
  const lines = [
    agent.id,
    ...keyFactLines(agent),
    `first seen ${agent.first_seen}  last seen ${agent.last_seen}`,
    ...(typeof acked !== "string" ? [] : [`last acknowledged ${acked}, has read up to seq ${agent.reads_to_seq}`]),
    `messages ${messages.total}, ${messages.live} live`,
    `work: ${work.claimed} claimed now, ${work.answered} answered, ${work.resolved} resolved`,
    `votes received: ${votes.received.verifies} verify, ${votes.received.refutes} refute`,
    `votes given: ${votes.given.verifies} verify, ${votes.given.refutes} refute`,
    ...afterBar([...labels("aliases", namesOf(agent)), ...labels("offers", agent.offers), ...labels("needs", agent.needs), ...said]),
  ];
  return `${lines.join("\n")}\n`;
}
