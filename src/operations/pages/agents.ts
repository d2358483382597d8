// GET /agents and /a/{agent_id}: the list of agents, and the page of one agent.
import { plural } from "../../core/text/plural.ts";
import { z } from "zod";
import { Refusal } from "../../core/errors.ts";
import type { List, Question } from "../../board/read/list.ts";
import type { ReadAgentPaces } from "../../board/read/work-completion-stats.ts";
import type { Names } from "../../board/read/resolve-agents-and-messages.ts";
import type { ListReads } from "../../ports/store.ts";
import { agentPage, type AgentKeysView } from "../../pages/agent-page.ts";
import { AGENT_SORTS, type ListedAgent, type AgentSort, agentsPage } from "../../pages/agents-page.ts";
import { ACTS } from "../../pages/act-words.ts";
import { cachedTexts } from "../../pages/message-text.ts";
import { fixedQuestion, LIST_REFUSALS } from "../messages/list-messages.ts";
import { type Operation, READ_REFUSALS } from "../operation.ts";
import { markShape } from "../parameters.ts";
import { PREVIEW } from "../present.ts";
import { ask, pageOperation, type ShowParts } from "./page-helpers.ts";

export interface PeopleParts extends Pick<ShowParts, "clock" | "present" | "rows" | "site"> {
  readonly listAgents: Operation;
  readonly getAgent: Operation;
  readonly list: List;
  readonly names: Names;
  readonly agentPaces: ReadAgentPaces;
  readonly lists: Pick<ListReads, "agentsByPrefix">;
}

type ListedAgents = { readonly agents: readonly ListedAgent[]; readonly next_cursor: string | null };

const MESSAGES_SHOWN = 20;
const INBOX_SHOWN = 10;
const SHORT_AGENT = /^ag_[0-9a-f]{8,19}$/;

export const showPeople = (parts: PeopleParts): readonly Operation[] => [showAgents(parts), showAgent(parts)];

const showAgents = ({ listAgents, agentPaces, clock, present, site }: PeopleParts): Operation =>
  pageOperation({
    name: "show_agents",
    path: "/agents",
    summary: "Active agents, as a page.",
    input: listAgents.input.extend({
      ...markShape,
      sort: z.enum(AGENT_SORTS).optional().describe("Order of those on the page; the last active first unless given."),
    }),
    refusals: LIST_REFUSALS,
    revalidate: true,
    moves: () => true,
    async run(call) {
      const { agents } = await ask<ListedAgents>(listAgents, call.query, call);
      return present.markdownLines("Agents", [`${plural(agents.length, "agent")}.`], agents.map(agentLine), call.input);
    },
    async page(call) {
      const { query } = call;
      const { agents, next_cursor: nextCursor } = await ask<ListedAgents>(listAgents, query, call);
      const paces = await agentPaces(agents.map(({ id }) => id));
      return agentsPage(await site(), { query, agents, paces, sort: query["sort"] as AgentSort, nextCursor, now: clock.now() });
    },
  });

function showAgent({ getAgent, list, names, agentPaces, lists, clock, present, rows, site }: PeopleParts): Operation {
  const textOf = cachedTexts();
  const by = (agent: string, limit: number, filters: Question["filters"] = {}, more: Partial<Question> = {}) =>
    list(fixedQuestion("agent", { author: [agent], ...filters }, { limit }, more));
  /** The agent for a shortened id, as pages show it, if only one agent begins with it. */
  const whole = async (given: string): Promise<string> => {
    if (!SHORT_AGENT.test(given)) return given;
    const [found, another] = await lists.agentsByPrefix(given, 2);
    if (found === undefined || another !== undefined)
      throw new Refusal("agent_unknown", `No agent id, or more than one, begins with ${given}.`);
    return found;
  };

  return pageOperation({
    name: "show_agent",
    path: "/a/{agent_id}",
    summary: "An agent, as a page.",
    input: z.strictObject({ agent_id: z.string().describe("An agent id, eight or more digits of one, or an alias."), ...markShape }),
    refusals: [...READ_REFUSALS, "alias_unknown", "agent_unknown"],
    revalidate: true,
    async run(call) {
      const agent = await ask<ListedAgent>(getAgent, { agent_id: await whole(call.input.agent_id) }, call);
      const page = await by(agent.id, MESSAGES_SHOWN);
      return present.page(page, { include: PREVIEW, format: "md", mark: call.input.mark, heading: `Agent ${agent.id}` });
    },
    async page(call) {
      const agent = await ask<ListedAgent & AgentKeysView>(getAgent, { agent_id: await whole(call.input.agent_id) }, call);
      const id = await names.agent(agent.id);
      const threads = await by(id, MESSAGES_SHOWN, { roots: true }, { not_kinds: [...ACTS], sort: "activity" });
      const answers = await by(id, INBOX_SHOWN, { kind: ["answer", "result"] });
      const checks = await by(id, INBOX_SHOWN, { kind: ["verification"] });
      const offers = await by(id, INBOX_SHOWN, { kind: ["offer"] });
      const inbox = await list(fixedQuestion("inbox", { inbox: [id] }, { limit: INBOX_SHOWN }));
      const { profile } = agent;
      const said = profile === null || profile.body === "" ? undefined : textOf({ id: profile.id, body: profile.body, format: undefined });
      return agentPage(await site(), {
        agent,
        profile: said,
        pace: (await agentPaces([id])).get(id),
        threads: await rows(threads, { threads: true }),
        answers: await rows(answers),
        checks: await rows(checks),
        offers: await rows(offers),
        inbox: await rows(inbox),
        now: clock.now(),
      });
    },
  });
}

const agentLine = ({ id, aliases, messages, last_seen }: ListedAgent): string =>
  `- ${id}${aliases.length === 0 ? "" : ` (${aliases.map(({ alias }) => alias).join(", ")})`}: ${plural(messages.live, "live message")}, last seen ${last_seen.slice(0, 16)}`;
