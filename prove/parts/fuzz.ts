// Hostile input: a hundred thousand faulty requests over HTTP, MCP and SMTP. Nothing may break, and nobody may have to wait.
import { plural } from "../../src/core/text/plural.ts";
import { BoardProcess, emptyDirectory } from "../../test/support/process.ts";
import { Random, SEED } from "../../test/support/random.ts";
import { SmtpClient, withFreePort } from "../../test/support/smtp.ts";
import { onlyNumber } from "../arguments.ts";
import { count, type Part, STORES } from "../part.ts";
import { exchange } from "../support/exchange.ts";
import { FLAGS } from "../support/board-cli-flags.ts";
import { residentMiB } from "../support/memory-and-quantiles.ts";
import { HeldLoop } from "../support/event-loop-stalls.ts";
import { hostileCorpora } from "../support/hostile-corpora.ts";
import { Incidents, isHarm, shownRequest } from "../support/incidents.ts";
import { prepareBoard } from "../support/prepared-board.ts";
import { draws, Recorded, Replayed, simplest } from "../support/simplest.ts";
import { deliver, fuzzMail, replyClass } from "../support/fuzz-mail.ts";
import { FuzzMcp } from "../support/fuzz-mcp.ts";
import { FuzzPosts } from "../support/fuzz-posts.ts";
import { type FuzzRequest, FuzzRequests } from "../support/fuzz-requests.ts";

const REQUESTS = 95_000;
const MAILS = 5000;
const LANES = 16;
const MAIL_LANES = 4;
const LONGEST_HELD_MS = 100;
/** This many of the harmful requests are simplified; the others are mostly the same. */
const MADE_SIMPLE = 3;

export const fuzz: Part = {
  name: "fuzz",
  promise: "hostile input over HTTP, MCP and SMTP: no 5xx, no exit, event loop never held over 100 ms",
  stores: STORES,
  async run(times) {
    const held = new HeldLoop();
    let smtpPort = 0;
    await using board = await withFreePort((free) => {
      const flags = [...FLAGS, "--smtp-port", String((smtpPort = free)), "--mail-domain", "board.example"];
      return BoardProcess.serve(emptyDirectory(), flags, held.env);
    });
    const ready = Date.now();
    const port = Number(new URL(board.url).port);
    const posts = new FuzzPosts(SEED);
    const { described, tools, cursors } = await prepareBoard(board.url, posts);
    const requests = new FuzzRequests(described, posts, new FuzzMcp(tools, posts), cursors);
    const [first] = posts.agents;
    const corpora = hostileCorpora(first);
    const [total, mails] = onlyNumber === undefined ? [times(REQUESTS), times(MAILS)] : [0, 0];
    const known = Math.min(total, corpora.requests.length) + Math.min(mails, corpora.mails.length);

    /** The same number always gives the same request, independent of earlier ones. */
    const request = (number: number): FuzzRequest => corpora.requests[number]?.() ?? requests.next(new Random(drawnFrom(number)));
    const incidents = new Incidents(request);
    const life = { over: false };
    const watch = async (): Promise<void> => {
      const { code, signal, stderr } = await board.ended;
      life.over = true;
      incidents.fail("the board ended", `${code ?? signal}: ${stderr.slice(-2000)}`);
    };
    void watch();
    const send = async (number: number): Promise<void> => {
      const { outcome, from, to } = await exchange(port, request(number));
      incidents.answered(number, outcome, from, to);
    };
    const mail = async (number: number): Promise<void> => {
      const random = new Random(drawnFrom(-1 - number));
      const message = corpora.mails[number];
      const from = Date.now();
      incidents.mailed(number, await (message === undefined ? fuzzMail(smtpPort, random) : knownMail(smtpPort, message, random)), from);
    };
    if (onlyNumber === undefined) {
      const lanes = (width: number, most: number, one: (number: number) => Promise<void>): Promise<void>[] => {
        let next = 0;
        return Array.from({ length: width }, async () => {
          while (!life.over && next < most) await one(next++);
        });
      };
      await Promise.all([...lanes(LANES, total, send), ...lanes(MAIL_LANES, mails, mail)]);
    } else {
      console.log(incidents.shown(onlyNumber));
      await send(onlyNumber);
    }

    const holds = held.since(ready);
    const [longest] = holds;
    const [lasting] = holds.toSorted((a, b) => b.wallMs - a.wallMs);
    for (const hold of holds.filter(({ ms }) => ms > LONGEST_HELD_MS)) incidents.held(hold);
    if (!life.over && (await fetch(`${board.url}/healthz`)).status !== 200) incidents.fail("not healthy", "");
    for (const line of board.stderr.split("\n").filter((one) => one !== "")) incidents.fail("a fault in the log", line.slice(0, 2000));
    const drawn = incidents.harmful.filter((number) => corpora.requests[number] === undefined).slice(0, MADE_SIMPLE);
    for (const number of drawn) if (!life.over) console.log(`request ${number}, made simple: ${await madeSimple(requests, number, port)}`);
    incidents.tell();
    return {
      held: incidents.failures === 0,
      figure: `seed ${SEED}; ${incidents.outcomes()}; ${count(known)} of them from public corpora; ${plural(incidents.failures, "failure")}; longest turn of the loop ${Math.round(longest?.ms ?? 0)} ms of processor time, ${Math.round(lasting?.wallMs ?? 0)} ms on the clock, ${Math.round(lasting?.waitedMs ?? 0)} of them for want of a core; ${residentMiB(board.pid).toFixed(0)} MiB in the end`,
    };
  },
};

const drawnFrom = (number: number): number => Math.imul(SEED ^ Math.imul(number + 1, 0x9e3779b1), 0x85ebca6b);

/** The simplest request that does the same harm as this one: sent alone, to a board that has seen all the others. */
async function madeSimple(requests: FuzzRequests, number: number, port: number): Promise<string> {
  const recorded = new Recorded(drawnFrom(number));
  requests.next(recorded);
  const doesHarm = async (drawn: readonly number[]) => isHarm((await exchange(port, requests.next(new Replayed(drawn)))).outcome);
  const found = await simplest(draws(recorded.drawn), recorded.drawn, doesHarm);
  return found === undefined ? "sent alone it does no harm" : shownRequest(requests.next(new Replayed(found)));
}

async function knownMail(port: number, message: Buffer, random: Random): Promise<string> {
  await using client = await SmtpClient.connect(port);
  return replyClass(await deliver(client, message, random));
}
