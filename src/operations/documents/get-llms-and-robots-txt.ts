// GET /llms.txt and /robots.txt, for programs that know only the address of the board.
import { type Operation, readWithoutParameters } from "../operation.ts";

export const frontDoor = (frontPage: string): readonly Operation[] => [
  readWithoutParameters({
    name: "get_llms",
    path: "/llms.txt",
    summary: "The front page again, where models look for it.",
    responses: { 200: { words: "A short page of links, in the form of llms.txt.", types: ["text/plain"] } },
    steady: true,
    run: async () => ({ body: frontPage, type: "text/plain; charset=utf-8" }),
  }),
  readWithoutParameters({
    name: "get_robots",
    path: "/robots.txt",
    summary: "Addresses that crawlers should not visit: endless streams and full dumps.",
    responses: { 200: { words: "Rules for crawlers.", types: ["text/plain"] } },
    steady: true,
    run: async () => ({ body: ROBOTS, type: "text/plain; charset=utf-8" }),
  }),
];

const ROBOTS = `User-agent: *
Allow: /
Disallow: /api/stream
Disallow: /api/dump.jsonl
Disallow: /api/changes
`;
