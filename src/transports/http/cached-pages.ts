// Sends pages to callers that ask for HTML. A page is cached until the board changes, and compressed once, at the cost of the first caller.
import { promisify } from "node:util";
import { brotliCompress, constants, gzip, type ZlibOptions } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { boundedTextCache } from "../../core/bounded-cache.ts";
import { minuteOf } from "../../core/durations.ts";
import { type Call, isMoving, type Operation } from "../../operations/operation.ts";
import { CODINGS, type Coding } from "../../ports/assets.ts";
import type { Clock } from "../../ports/clock.ts";
import { costOfCompressing } from "../../ports/cpu-slices.ts";
import { matchesEtag, matchesAnyEtag, type Versions } from "./etags.ts";
import { HTML_TYPE, PAGE_HEADERS } from "./page-headers.ts";

export type SendPage = (
  request: FastifyRequest,
  reply: FastifyReply,
  operation: Operation,
  call: Call<Record<string, unknown>>,
) => Promise<FastifyReply>;

export interface PageParts {
  readonly clock: Clock;
  readonly versions: Pick<Versions, "of">;
}

/** How much a caller wants a type: its `q`, or 0 if it does not name the type. */
function wish(accept: string, type: string): number {
  const named = accept.split(",").find((one) => one.trim().toLowerCase().startsWith(type));
  if (named === undefined) return 0;
  const q = /;\s*q=([\d.]+)/i.exec(named)?.[1];
  return q === undefined ? 1 : Number(q);
}

/** Browsers name HTML. Programs do not, or prefer another type, and get the answer for programs. */
export function wantsHtml(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const html = wish(accept, "text/html");
  return html > 0 && html >= wish(accept, "text/markdown") && html >= wish(accept, "application/json");
}

/** A caller that names Markdown and prefers no other type gets Markdown if it is offered. */
export function wantsMarkdown(accept: string | undefined): boolean {
  const markdown = accept === undefined ? 0 : wish(accept, "text/markdown");
  return markdown > 0 && markdown >= wish(accept ?? "", "application/json");
}

/** Programs that preview shared links accept any type and look for a title in the page. */
const UNFURLS =
  /slackbot|twitterbot|facebookexternalhit|discordbot|linkedinbot|whatsapp|telegrambot|mastodon|bluesky|iframely|embedly|redditbot|skypeuripreview|matrix-media|synapse \(bot/i;

/** Addresses under /api answer programs only. */
export const wantsPage = ({ headers, url }: FastifyRequest): boolean =>
  (wantsHtml(headers.accept) || UNFURLS.test(headers["user-agent"] ?? "")) && !/^\/(api|mcp)(\/|\?|$)/.test(url);

/** A page, its validator, and its compressed forms. */
export interface CachedText {
  readonly tag: string;
  readonly text: string;
  readonly coded: Map<Coding, Promise<Buffer>>;
}

const MAX_PAGES = 200;
const MAX_CHARS = 16_000_000;
/** Compressing a page takes as long as making it. Higher levels take several times as long and save a few percent. */
const BROTLI_QUALITY = 4;
const GZIP_LEVEL = 6;
/** Smaller pages gain nothing from compression. */
const LEAST_CODED = 1000;

export function pageSender({ clock, versions }: PageParts): SendPage {
  const cache = boundedTextCache<string, CachedText>(MAX_PAGES, MAX_CHARS, ({ text }) => text.length);
  return async (request, reply, operation, call) => {
    const { url } = request;
    void reply.headers(PAGE_HEADERS).header("cache-control", "no-cache").type(HTML_TYPE);
    if (operation.revalidate === undefined) return reply.send(await coded(request, reply, pageOf("", await render(operation, call))));
    // Pages show times in minutes, so a page changes at least once a minute.
    const version = await versions.of(url, isMoving(operation, call.input));
    const state = `${version.slice(0, -1)}-p${minuteOf(clock.now()).toString(36)}"`;
    if (matchesEtag(request.headers, state)) return reply.header("etag", state).code(304).send();
    const found = cache.get(url);
    const page = found?.tag === state ? found : pageOf(state, await render(operation, call));
    if (page !== found) cache.set(url, page);
    // Set only now: a refusal has no validator, as in the answers for programs.
    void reply.header("etag", state);
    if (matchesAnyEtag(request.headers)) return reply.code(304).send();
    return reply.send(await coded(request, reply, page));
  };
}

export const pageOf = (tag: string, text: string): CachedText => ({ tag, text, coded: new Map() });

async function render(operation: Operation, call: Call<Record<string, unknown>>): Promise<string> {
  const page = await operation.page?.(call);
  if (page === undefined) throw new Error(`${operation.name} has no page.`);
  return page;
}

const COMPRESS: Readonly<Record<Coding, (text: string) => Promise<Buffer>>> = {
  br: (text) => promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (text) => promisify<string, ZlibOptions, Buffer>(gzip)(text, { level: GZIP_LEVEL }),
};
const SPEED = { br: "fast", gzip: "usual" } as const satisfies Record<Coding, string>;

/** The best compression that the caller accepts, if any. */
export function codingFor(request: FastifyRequest): Coding | undefined {
  const accepted = request.headers["accept-encoding"];
  if (typeof accepted !== "string") return undefined;
  return CODINGS.find((coding) => wish(accepted, coding) > 0);
}

/** Compressed once for all callers that accept it; the first of them pays, and later ones get what it paid for. */
export async function coded(request: FastifyRequest, reply: FastifyReply, page: CachedText): Promise<string | Buffer> {
  const coding = page.text.length < LEAST_CODED ? undefined : codingFor(request);
  if (coding === undefined) return page.text;
  let made = page.coded.get(coding);
  if (made === undefined) {
    costOfCompressing(page.text.length, SPEED[coding]);
    page.coded.set(coding, (made = COMPRESS[coding](page.text)));
  }
  void reply.header("content-encoding", coding);
  return made;
}
