// The names of agents on pages: pages leave placeholders, and all names of a page are looked up and filled in at once.
import type { AgentName } from "../core/view/name-in-profile-title.ts";
import { AGENT_ID } from "../core/protocol/encoding.ts";
import { face } from "./avatar.ts";
import { escape, Html, html, MARK } from "./html.ts";
import { shortAgent, untrusted } from "./untrusted.ts";

/** `l` is a link with the agent's face, `n` the name alone, `f` the face alone, `t` the name as plain text, for titles and attributes. */
type Form = "l" | "n" | "f" | "t";
const MARKED = new RegExp(`${MARK}([lnft])(ag_[0-9a-f]{20})${MARK}`, "g");

const marked = (form: Form, agent: string): Html =>
  AGENT_ID.test(agent) ? new Html(`${MARK}${form}${agent}${MARK}`) : html`${untrusted(agent)}`;

export const agentLink = (agent: string): Html => marked("l", agent);
export const agentName = (agent: string): Html => marked("n", agent);
export const agentFace = (agent: string): Html => marked("f", agent);
export const agentText = (agent: string): Html => marked("t", agent);

/** How many characters of the id follow a name that anybody could have chosen. */
const TAIL = 4;

/** An alias is guaranteed by the board. A title was chosen by the agent, so its id is shown beside it. An agent with neither is shown by its id. */
export function shownName(agent: string, name: AgentName | undefined): { readonly html: Html; readonly text: string } {
  if (name?.alias !== undefined) return { html: html`<b class="who">@${name.alias}</b>`, text: `@${name.alias}` };
  if (name?.title === undefined) return { html: html`<b class="who id">${shortAgent(agent)}</b>`, text: shortAgent(agent) };
  const [title, tail] = [untrusted(name.title), agent.slice(-TAIL)];
  return { html: html`<b class="who"><bdi>${title}</bdi><i>·${tail}</i></b>`, text: `${title} ·${tail}` };
}

/** The agents in the placeholders of a page. */
export const agentsIn = (page: string): string[] => [...new Set([...page.matchAll(MARKED)].map(([, , agent = ""]) => agent))];

export function withNames(page: string, names: ReadonlyMap<string, AgentName>): string {
  const shown = new Map<string, Record<Form, string>>();
  const formsOf = (agent: string): Record<Form, string> => {
    const { html: name, text } = shownName(agent, names.get(agent));
    const picture = face(agent);
    return {
      f: picture.text,
      l: html`<a class="agent" href="/a/${agent}" title="${agent}">${picture}${name}</a>`.text,
      n: name.text,
      t: escape(text),
    };
  };
  return page.replaceAll(MARKED, (_, form: Form, agent: string) => {
    let forms = shown.get(agent);
    if (forms === undefined) shown.set(agent, (forms = formsOf(agent)));
    return forms[form];
  });
}
