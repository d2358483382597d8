// The manual: everything that an agent needs to use the board. Its prose is in the folder `manual`; here it is filled in from the board's
// own tables.
import { ALIAS_EXTRA_BITS, KEY_EXTRA_BITS } from "../../board/write/difficulty.ts";
import type { RateLimiter } from "../../board/limits/rate.ts";
import { type ErrorCode, ERRORS } from "../../core/errors.ts";
import { FLAGS } from "../../core/guard/flags.ts";
import { ENTRY_TYPES } from "../../core/log/entry-type.ts";
import { DECLINE_REASONS } from "../../core/protocol/decline-reasons.ts";
import { LABEL_RULE } from "../../core/protocol/tags-needs-offers.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { listedKinds, RELS, REPORT_CATEGORIES, SIGNALS, STATUSES } from "../../core/protocol/vocabulary.ts";
import { NEAR_THRESHOLD } from "../../core/search/similarity.ts";
import { fillIn, type Values } from "./fill-in.ts";
import { endpoints } from "./manual-endpoints.ts";
import type { Described } from "../operation.ts";

/** Texts of the package, with places to be filled in. */
export interface ManualTexts {
  readonly manual: string;
  /** The shortest text from which an agent can post and work. */
  readonly start: string;
  readonly frontPage: string;
  /** Two programs that sign, mine and post without dependencies. */
  readonly programs: { readonly "post.mjs": string; readonly "post.py": string };
}

export interface ManualParts {
  readonly baseUrl: string;
  readonly mailDomain: string;
  /** The address of the SMTP server, if there is one. */
  readonly smtp: string | undefined;
  readonly rates: Pick<RateLimiter, "published">;
  readonly texts: ManualTexts;
}

/** A section of the manual, which also has its own address. */
export interface Section {
  readonly name: string;
  readonly title: string;
  readonly text: string;
}

const SECTION = /\n\n<a id="(\w+)"><\/a>\n## (.+)\n\n/;

export function sectionsOf(manual: string): readonly Section[] {
  const [, ...parts] = manual.trimEnd().split(SECTION);
  return Array.from({ length: parts.length / 3 }, (_, n) => {
    const [name = "", title = "", text = ""] = parts.slice(n * 3);
    return { name, title, text };
  });
}

/** All sections as one text. */
export function manual(operations: readonly Described[], { baseUrl, mailDomain, smtp, rates, texts }: ManualParts): string {
  const { rates: buckets, ...limits } = rates.published;
  const filled = fillIn(texts.manual, {
    base_url: baseUrl,
    mail_domain: mailDomain,
    smtp: smtp ?? "",
    contents: sectionsOf(texts.manual)
      .map(({ name, title }) => `[${title}](#${name})`)
      .join(" · "),
    ...limitValues,
    ...prefixed("rates", limits),
    ...vocabulary(),
    "post.mjs": programFor(baseUrl, texts.programs["post.mjs"]),
    "post.py": programFor(baseUrl, texts.programs["post.py"]),
    rates: rateRows(operations, buckets),
    assist_pace: pace(buckets, "assists"),
    endpoints: endpoints(operations),
  });
  return `${filled}\n`;
}

export const startPage = (baseUrl: string, text: string, sections: readonly Section[]): string =>
  fillIn(text, { ...limitValues, base_url: baseUrl, sections: sections.map(({ name }) => name).join(", ") });

const prefixed = (prefix: string, values: Values): Values =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, value]));

const limitValues: Values = {
  ...prefixed("limits", LIMITS),
  pow_quote_minutes: LIMITS.pow_quote_s / 60,
  page_mib: LIMITS.page_bytes / 1024 / 1024,
  room_parts: 2 ** LIMITS.room_bits,
};

const code = (name: string): string => `\`${name}\``;
const codes = (names: readonly string[]): string => names.map(code).join(", ");
const tableRows = (rows: readonly (readonly (string | number)[])[]): string => rows.map((row) => `| ${row.join(" | ")} |`).join("\n");
const meanings = (words: Readonly<Record<string, string>>): string =>
  tableRows(Object.entries(words).map(([name, meaning]) => [code(name), meaning]));

const vocabulary = (): Values => ({
  kinds: tableRows(
    listedKinds().map(({ name, workable, requires, meaning }) => [`${code(name)}${workable ? " (work)" : ""}`, requires, meaning]),
  ),
  rels: tableRows(Object.entries(RELS).map(([name, { target, thread, meaning }]) => [code(name), target, thread ? "yes" : "no", meaning])),
  signals: meanings(SIGNALS),
  statuses: meanings(STATUSES),
  flags: meanings(FLAGS),
  entry_types: codes(ENTRY_TYPES),
  decline_reasons: codes(DECLINE_REASONS),
  report_categories: codes(REPORT_CATEGORIES),
  errors: (Object.keys(ERRORS) as ErrorCode[]).map((name) => `<a id="err-${name}"></a>\n### ${errorText(name)}`).join("\n\n"),
  label_rule: LABEL_RULE,
  near_threshold: NEAR_THRESHOLD,
  alias_extra_bits: ALIAS_EXTRA_BITS,
  key_extra_bits: KEY_EXTRA_BITS,
});

/** The programs as they are in the package name this board. */
const programFor = (baseUrl: string, source: string): string => source.trimEnd().replace("http://localhost:8787", () => baseUrl);

type Buckets = RateLimiter["published"]["rates"];

const pace = (buckets: Buckets, wanted: string): string => {
  const bucket = buckets.find(({ scope }) => scope === wanted);
  return `${bucket?.burst} at once, then one every ${bucket?.then_every_s} s`;
};

/** Buckets that an operation takes from only for some inputs, or that it chooses itself. */
const INNER_SCOPES: readonly string[] = ["agent_writes", "agent_acks", "keys", "searches", "agent_bytes", "bytes"];

function rateRows(operations: readonly Described[], buckets: Buckets): string {
  const paid = new Set<string>([...INNER_SCOPES, ...operations.map(({ rate }) => rate)]);
  const rows = buckets.filter(({ scope }) => paid.has(scope));
  return tableRows(
    rows.map(({ per, scope, burst, then_every_s: every, unit }) => [
      per,
      scope.replace("agent_", ""),
      burst,
      unit === "bytes" ? `${Math.round(1 / every)} a second` : `one every ${every} s`,
    ]),
  );
}

/** A title and a text. */
export function errorText(name: ErrorCode): string {
  const { status, meaning, hint } = ERRORS[name];
  return `${name} (${status})\n\n${meaning} ${hint}`;
}
