// Connections that are opened and not used: answers that nobody reads, and idle connections.
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { count } from "../part.ts";
import { type Attack, LONG_WARM_S, READER } from "./attack.ts";
import { Caller, PAGE } from "./caller.ts";
import { established } from "./count-tcp-connections.ts";

const UNREAD = 80;
const UNREAD_MIB = 64;
/** A caller that reads nothing is disconnected after 15 to 30 seconds; the rest is for making the answers. */
const CUT_S = 32;
const IDLE = 1500;
const MAX_OPEN = 500;
const LOOK_MS = 500;
const LOOKS = 5;
const PIPELINES = 100;
const MAIL_CONNECTIONS = 5;
const TOGETHER = 2000;
const COMMANDS = "NOOP\r\n".repeat(TOGETHER);
const REOPEN_MS = 20;
/** A twentieth of a read each; reads are 300 and then 20 a second. */
const COMMANDS_AT_MOST = (seconds: number): number => 20 * (300 + 20 * (seconds + 1));
/** As much as is sent without waiting for an answer. */
const PIPELINED = 4000;

function opened(port: number, address: string, request: string, onOpen = (): void => {}): Socket {
  const socket = connect({ port, host: "127.0.0.1", localAddress: address }, () => {
    onOpen();
    socket.write(request);
  });
  return socket.on("error", () => {}).pause();
}

/** Sends commands over one connection until it is closed or time is up, and counts the answers. */
function talk(port: number, address: string, heard: Record<string, number>, until: number): Promise<void> {
  return new Promise((resolve) => {
    let unanswered = 0;
    const socket = connect({ port, host: "127.0.0.1", localAddress: address });
    socket.setEncoding("latin1").on("error", () => {});
    socket.on("data", (answers: string) => {
      for (const [code] of answers.matchAll(/^\d{3}(?= )/gm)) {
        heard[code] = (heard[code] ?? 0) + 1;
        unanswered--;
      }
      if (performance.now() > until) return void socket.destroy();
      if (unanswered > 0) return;
      unanswered = TOGETHER;
      socket.write(COMMANDS);
    });
    socket.once("close", () => resolve());
  });
}

function pipelining(pathAt: (port: number) => Promise<string>): Pick<Attack, "meets" | "begin" | "judge"> {
  return {
    meets: { least: 50, of: ["open"] },
    begin: async ({ caller: { port, address, heard }, seconds }) => {
      const asks = `GET ${await pathAt(port)} HTTP/1.1\r\nhost: localhost\r\n\r\n`.repeat(PIPELINED);
      return async () => {
        const sockets: (Socket | undefined)[] = Array.from({ length: PIPELINES });
        let times = 0;
        for (const end = performance.now() + seconds * 1000; performance.now() < end;) {
          for (const [n, socket] of sockets.entries()) {
            if (socket !== undefined && !socket.destroyed) continue;
            // Counted as they open: the board may have closed them again before anybody looks.
            sockets[n] = opened(port, address, asks, () => (heard["open"] = (heard["open"] ?? 0) + 1));
            times++;
          }
          await pause(LOOK_MS);
        }
        for (const socket of sockets) socket?.destroy();
        return { times };
      };
    },
    judge: ({ notes: { times = 0 } }) => [{ held: true, words: `${times} connections in turn` }],
  };
}

/** The script of the pages: 54 KB, the longest answer without tokens that does not count by itself. */
async function fileOf(port: number): Promise<string> {
  const reader = new Caller(port, READER);
  const { text } = await reader.ask({ path: "/", headers: { accept: PAGE.accept } });
  reader.leave();
  const [, path] = /<script[^>]+src="(\/assets\/[^"]+)"/.exec(text) ?? [];
  if (path === undefined) throw new Error("The page names no script.");
  return path;
}

export const ATTACKS_ON_CONNECTIONS: readonly Attack[] = [
  {
    name: "unread",
    sends: "80 requests for the largest pages of messages and of the log, none of which is read",
    meets: { least: 1, of: ["open"] },
    moreMiB: UNREAD_MIB,
    warmS: LONG_WARM_S,
    begin: async ({ caller, feed }) => {
      const { port, address } = caller;
      const pages = [
        `/api/changes?after=${feed.largeAfter}&limit=1000&include=raw`,
        `/api/messages?after_seq=${feed.largeAfter}&sort=old&limit=200&include=raw`,
      ];
      // Each is read once before: what the board needs to make such an answer is not memory that unread answers take.
      const reader = new Caller(port, READER);
      for (const path of pages) await reader.ask({ path });
      reader.leave();
      return async () => {
        const start = performance.now();
        // An answer that fits into the system's buffers is sent for the board. Without the header, its connection would count as one that
        // waits for the next request.
        const sockets = Array.from({ length: UNREAD }, (_, i) =>
          opened(port, address, `GET ${pages[i % pages.length]} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`),
        );
        await pause(LOOK_MS);
        caller.heard["open"] = established(port, address);
        let left = caller.heard["open"];
        while (left > 0 && performance.now() - start < (CUT_S + 3) * 1000) {
          await pause(LOOK_MS);
          left = established(port, address);
        }
        const seconds = (performance.now() - start) / 1000;
        for (const socket of sockets) socket.destroy();
        return { left, seconds };
      };
    },
    judge: ({ notes: { left = 0, seconds = 0 } }) => [
      {
        held: left === 0 && seconds <= CUT_S,
        words:
          left === 0
            ? `the last cut off after ${seconds.toFixed(0)} s (${CUT_S} at most)`
            : `${left} still there after ${seconds.toFixed(0)} s`,
      },
    ],
  },
  {
    name: "idle-connections",
    sends: "1,500 connections, each with one request and then nothing",
    meets: { least: 400, of: ["open"] },
    begin:
      async ({ caller, seconds }) =>
      async () => {
        const { port, address } = caller;
        const sockets = Array.from({ length: IDLE }, () =>
          opened(port, address, "GET /api/time HTTP/1.1\r\nhost: localhost\r\n\r\n").resume(),
        );
        let most = 0;
        const counts: number[] = [];
        for (const end = performance.now() + seconds * 1000; performance.now() < end;) {
          await pause(LOOK_MS);
          counts.push(established(port, address));
          // The board accepts a connection before it can close it, so only what stays counts.
          if (counts.length >= LOOKS) most = Math.max(most, Math.min(...counts.slice(-LOOKS)));
        }
        caller.heard["open"] = most;
        for (const socket of sockets) socket.destroy();
        return { most };
      },
    judge: ({ notes: { most = 0 } }) => [{ held: most <= MAX_OPEN, words: `${most} of ${IDLE} kept at once (${MAX_OPEN} at most)` }],
  },
  {
    name: "pipelined",
    sends: "100 connections, each with 4,000 requests one behind the other and none of the answers read; opened again when they are closed",
    ...pipelining(async () => "/api/messages?limit=1"),
  },
  {
    name: "pipelined-files",
    sends:
      "100 connections, each with 4,000 requests for a file of the pages and none of the answers read; opened again when they are closed",
    ...pipelining(fileOf),
  },
  {
    name: "mail-commands",
    sends: "5 connections to the mail server, with commands one behind the other and new ones as soon as they are answered; opened again",
    mail: true,
    meets: { least: 2000, of: ["250"] },
    begin: async ({ caller: { address, heard }, seconds, smtpPort = 0 }) => {
      const sends = async (until: number): Promise<void> => {
        for (; performance.now() < until; await pause(REOPEN_MS)) await talk(smtpPort, address, heard, until);
      };
      return async () => {
        const until = performance.now() + seconds * 1000;
        await Promise.all(Array.from({ length: MAIL_CONNECTIONS }, () => sends(until)));
        return {};
      };
    },
    judge: ({ heard: { 250: answered = 0 }, seconds }) => [
      {
        held: answered <= COMMANDS_AT_MOST(seconds),
        words: `${count(answered)} commands answered (${count(COMMANDS_AT_MOST(seconds))} at most)`,
      },
    ],
  },
];
