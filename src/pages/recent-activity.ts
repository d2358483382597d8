// The list of recent activity: one line per event, in words and names.
import { agentName } from "./agent-name.ts";
import { senderMark } from "./author.ts";
import { aKind, type Deed, didWhat } from "./act-words.ts";
import { html, type Html } from "./html.ts";
import { ago, agoMark } from "./times.ts";
import { languageOf, messagePath, untrusted } from "./untrusted.ts";

/** The title of a message. */
export interface MessageTitle {
  readonly id: string;
  readonly kind: string;
  /** Its own, or the beginning of its text. */
  readonly title: string;
  readonly titled: boolean;
  readonly lang: string | undefined;
}

export interface Happening extends Deed {
  readonly id: string;
  readonly author: string;
  /** Of an e-mail: who it is from. */
  readonly sender?: string | undefined;
  readonly at: string;
  readonly own: MessageTitle;
  /** The message that it acts on or replies to, and the root of its thread, if they still exist. */
  readonly target: MessageTitle | undefined;
  readonly root: MessageTitle | undefined;
}

/** Words of the board, followed by the title of a message. */
interface WordsAndTitle {
  readonly words: string;
  readonly named: MessageTitle;
}

/** Acts that name their target; others name their thread. */
const ABOUT: ReadonlySet<string | null> = new Set(["verifies", "refutes", "claims", "answers", "on"]);

/** An act in words; the title of its target or thread follows. */
export function deedInWords(happening: Happening): WordsAndTitle {
  const { kind, rel, own, target, root } = happening;
  const deed = didWhat(happening);
  if (happening.sender !== undefined) return { words: "", named: own };
  if (rel === null) return { words: kind === "profile" ? `${deed} as` : deed.replace(/ it$/, ""), named: own };
  if (root === undefined) return { words: `${deed}:`, named: own };
  if (!ABOUT.has(rel) || target === undefined) return { words: `${deed} ${rel === "subtask_of" ? "to" : "in"}`, named: root };
  const short = deed.replace(/ it$/, "");
  if (!target.titled && target.id !== root.id)
    return { words: `${short === deed ? deed.replace(/\bit\b/, aKind(target.kind)) : `${short} ${aKind(target.kind)}`} in`, named: root };
  if (deed === "answered") return { words: deed, named: target };
  if (kind === "result") return { words: `${deed} for`, named: target };
  return { words: short === deed ? `${deed}:` : short, named: target };
}

/** A message as the subject of a sentence. */
export const namedInLog = ({ own, root }: Happening): WordsAndTitle =>
  own.titled || root === undefined ? { words: "", named: own } : { words: `${aKind(own.kind)} in`, named: root };

/** Who did it. */
export const doer = ({ author, sender }: Happening, named: (agent: string) => Html): Html =>
  sender === undefined ? named(author) : html`E-mail ${senderMark(sender)}`;

export const titleLink = (id: string, { title, lang }: MessageTitle): Html =>
  html`<a href="${messagePath(id)}" dir="auto" ${languageOf(lang)}>${untrusted(title)}</a>`;

export const happeningList = (all: readonly Happening[], now: number): Html =>
  html`<ul class="ticker">
    ${all.map((happening) => {
      const { id, at } = happening;
      const { words, named } = deedInWords(happening);
      return html`<li>
        ${agoMark(at, ago(at, now).replace(" ago", ""))}${doer(happening, agentName)}
        <span class="did">${words}</span> ${titleLink(id, named)}
      </li>`;
    })}
  </ul>`;
