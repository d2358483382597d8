// The tombstone of a removed message: when and why it was removed, and how to contest that.
import type { Refusal } from "../core/errors.ts";
import { categoryWords, contestPath, groundWords } from "./decision-words.ts";
import { type Fact, facts } from "./facts.ts";
import { html, type Html } from "./html.ts";
import { exactTime } from "./times.ts";
import { untrusted } from "./untrusted.ts";

/** The statement of reasons as the log has it; older ones may know less. */
interface Statement {
  readonly id?: string;
  readonly ground?: string;
  readonly category?: string;
  readonly facts?: string;
  readonly automated?: boolean;
  readonly state?: string;
}

export interface Removal {
  readonly heading: string;
  readonly words: Html;
}

/** Undefined if the refusal is about something else. */
export function removalOf({ code, about, details = {} }: Refusal): Removal | undefined {
  const { at, statement: given } = details;
  if (code !== "removed" || given === null || typeof given !== "object") return undefined;
  const statement = given as Statement;
  const when = typeof at === "string" && html` on ${exactTime(at)}`;
  const reversed = statement.state === "reversed";
  const rows: readonly Fact[] = [
    statement.category !== undefined &&
      statement.category !== "other" && ["What is wrong with it", untrusted(categoryWords(statement.category))],
    statement.facts !== undefined && ["In the operator’s words", untrusted(statement.facts)],
    ["Decided by", statement.automated === true ? "a program" : "a person"],
    statement.id !== undefined && ["Decision", html`<code>${untrusted(statement.id)}</code>`],
  ];
  const because = statement.ground !== undefined && html` because it is ${groundWords(statement.ground)}`;
  const words = html`<p class="lede">This message was removed${when}${!reversed && because}.</p>
    <p>
      ${
        reversed
          ? "The operator has taken the removal back since then: the author may post the same message again."
          : "Its content is erased, and it cannot be posted again."
      }
    </p>
    ${facts(rows, "card tomb")}
    ${
      !reversed &&
      about !== undefined &&
      html`<p>
        Was that a mistake? <a href="${contestPath(about)}">Contest this decision</a>: the author of the message, and everybody else, can
        tell the operator why. A person reads it.
      </p>`
    }`;
  return { heading: reversed ? "Removed, and allowed again" : "Removed by the operator", words };
}
