// Questions that readers ask, each kind in many variants, with values that occur on the board.
import { databasePath, openDatabase } from "../../src/adapters/sqlite/open.ts";
import { needOf, tagOf } from "./simulated-activity.ts";
import { messageText, wordOf } from "./generated-messages.ts";
import { seeded } from "./seeded.ts";

export type Questions = Readonly<Record<string, readonly string[]>>;

const VARIANTS = 200;
const SOME = 2000;
/** More messages than the board caches. */
const MANY = 60_000;

export function questionsOf(dir: string, messages: number): Questions {
  const db = openDatabase(databasePath(dir), "read");
  const column = (sql: string, ...values: (string | number)[]): string[] =>
    db
      .prepare(sql)
      .all(...values)
      .map((row) => String(Object.values(row)[0]));
  const random = seeded(5);
  const ids = (count: number) =>
    column(`SELECT id FROM messages WHERE seq % ? = 0 ORDER BY id LIMIT ?`, Math.max(1, Math.floor(messages / count)), count);
  const authors = column("SELECT id FROM agents ORDER BY messages DESC LIMIT ?", VARIANTS);
  const rare = column("SELECT label FROM tallies WHERE field = 'tag' AND count BETWEEN 50 AND 500 ORDER BY label LIMIT ?", VARIANTS);
  const inboxes = column("SELECT agent FROM inbox GROUP BY agent ORDER BY count(*) DESC LIMIT ?", VARIANTS);
  const [thread = ""] = column("SELECT m.root FROM threads t JOIN messages m ON m.thread = t.number ORDER BY t.messages DESC LIMIT 1");
  const [some, many] = [ids(SOME), ids(MANY)];
  db.close();

  const variants = (make: (n: number) => string): string[] => Array.from({ length: VARIANTS }, (_, n) => make(n));
  const word = (from: number, to: number): string => wordOf(from + Math.floor(random() * (to - from)));
  const text = () => messageText(1 + Math.floor(random() * messages));
  const search = (q: string): string => `/api/messages?q=${encodeURIComponent(q)}`;
  const phrase = (): string => {
    const at = Math.floor(random() * 100);
    return `"${text()
      .body.split(" ")
      .slice(at, at + 3)
      .join(" ")}"`;
  };
  return {
    "by id": some.map((id) => `/api/messages/${id}`),
    "by id, all over": many.map((id) => `/api/messages/${id}`),
    "newest 50, no bodies": ["/api/messages?include="],
    // The board caches pages until its log moves. Each of these URLs is different, so its page is read and rendered each time.
    "newest 50, uncached": Array.from({ length: SOME }, (_, n) => `/api/messages?include=&after_seq=${n}`),
    "newest 50": ["/api/messages"],
    "common tag": variants((n) => `/api/messages?include=&tag=${tagOf(n % 5)}`),
    "rare tag": rare.map((tag) => `/api/messages?include=&tag=${tag}`),
    author: authors.map((author) => `/api/messages?include=&author=${author}`),
    kind: ["note", "finding", "task", "answer"].map((kind) => `/api/messages?include=&kind=${kind}`),
    "two tags and status": variants((n) => `/api/messages?include=&tag=${tagOf(n % 4)},${tagOf(4 + (n % 7))}&status=open`),
    "text, rare word": variants(() => search(word(50_000, 150_000))),
    "text, common word": variants(() => search(word(0, 5))),
    "text, two words": variants(() => search(`${word(0, 100)} ${word(0, 1000)}`)),
    "text, phrase": variants(() => search(phrase())),
    "similar, top 10": variants(() => `/api/similar?limit=10&text=${encodeURIComponent(text().body.slice(0, 300))}`),
    "thread of 200": [`/api/messages/${thread}/thread?include=`],
    work: ["/api/work", ...variants((n) => `/api/work?needs=${needOf(n % 20)},${needOf(20 + (n % 20))}`)],
    inbox: inboxes.map((agent) => `/api/inbox/${agent}`),
    tags: ["/api/tags", "/api/tags?prefix=tag-1", "/api/tags?field=need"],
    stats: ["/api/stats"],
  };
}
