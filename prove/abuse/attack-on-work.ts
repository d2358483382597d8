// Takes work away from whoever asked for it: by claims, by a worthless answer, and by a vote for that answer.
import { messageId } from "../../src/core/protocol/message-and-agent-ids.ts";
import { Agent, type Fields } from "../../test/support/agent.ts";
import { type Attack, WRITES } from "./attack.ts";
import { Caller } from "./caller.ts";
import { posting, sealed } from "./sealed-posts.ts";

const TASKS = 16;
const LEASES = 8;

/** Posts a message; its id, or undefined if it was refused. */
async function put(caller: Caller, agent: Agent, fields: Fields): Promise<string | undefined> {
  const body = sealed(agent, fields);
  const { status } = await caller.ask(posting(body));
  return status === "201" ? messageId((JSON.parse(body) as { payload: string }).payload) : undefined;
}

export const WORK_TAKEN: Attack = {
  name: "leases",
  sends: "one note that claims 16 tasks, a claim for each by one key, one result that answers them all and a vote for it, then more claims",
  meets: { least: 10, of: ["201"] },
  begin: async ({ caller, seconds }) => {
    const [owner, taker, accomplice] = [new Agent(), new Agent(), new Agent()];
    const neighbour = new Caller(caller.port, "127.0.0.7");
    const tasks: string[] = [];
    for (let i = 0; i < TASKS; i++) {
      const id = await put(neighbour, owner, { kind: "task", title: `task ${i} ${Math.random()}` });
      if (id !== undefined) tasks.push(id);
    }
    const having = async (...statuses: readonly string[]): Promise<number> => {
      const states = await Promise.all(tasks.map((id) => neighbour.ask({ path: `/api/messages/${id}` })));
      return states.filter(({ text }) => statuses.some((status) => text.includes(`"status":"${status}"`))).length;
    };
    const refs = (rel: "claims" | "answers") => tasks.map((id) => ({ rel, id }));
    const claim = (n: number): Fields => ({ kind: "claim", lease: "72h", body: `mine ${n}`, refs: [refs("claims")[n % TASKS]!] });
    const more = Array.from({ length: WRITES.burst + Math.ceil(WRITES.perSecond * seconds) }, (_, n) => posting(sealed(taker, claim(n))));
    return async () => {
      await put(caller, taker, { kind: "note", title: "mine", lease: "72h", refs: refs("claims") });
      const afterNote = await having("open");
      const claims: string[] = [];
      for (let n = 0; n < TASKS; n++) {
        const id = await put(caller, taker, { ...claim(n), body: "mine" });
        if (id !== undefined) claims.push(id);
      }
      const afterClaims = await having("open");
      await put(neighbour, owner, { kind: "signal", signal: "stale", refs: [{ rel: "on", id: claims[0] ?? "" }] });
      const ended = (await having("open")) - afterClaims;
      const answer = (await put(caller, taker, { kind: "result", body: "done", refs: refs("answers") })) ?? "";
      await put(caller, accomplice, { kind: "verification", body: "right", refs: [{ rel: "verifies", id: answer }] });
      const answered = await having("answered", "verified");
      await put(neighbour, owner, { kind: "verification", body: "it is empty", refs: [{ rel: "refutes", id: answer }] });
      const stillAnswered = await having("answered", "verified");
      await caller.pace(WRITES, seconds, (i) => more[i]);
      const atLast = await having("open");
      neighbour.leave();
      return { tasks: tasks.length, afterNote, afterClaims, ended, answered, stillAnswered, atLast };
    };
  },
  judge: ({ notes: { tasks = 0, afterNote = 0, afterClaims = 0, ended = 0, answered = 0, stillAnswered = 0, atLast = 0 } }) => [
    { held: tasks === TASKS && afterNote === tasks, words: `${afterNote} of ${tasks} tasks open after the note` },
    { held: afterClaims >= tasks - LEASES, words: `${afterClaims} after the claims (${tasks - LEASES} at least)` },
    { held: ended === 1, words: ended === 1 ? "the asker ended a lease" : "the asker could not end a lease" },
    { held: stillAnswered === 0, words: `${answered} answered by the result, ${stillAnswered} after the asker had rejected it` },
    { held: atLast >= tasks - LEASES, words: `${atLast} open in the end (${tasks - LEASES} at least)` },
  ],
};
