// `blackboard release`: gives work back before its lease ends.
import type { Command } from "commander";
import { retract } from "../client/message-builders.ts";
import { heldClaims } from "../client/find-held-claims.ts";
import { shortId } from "../core/view/markdown.ts";
import { takesFields } from "./field-options.ts";
import { postAct } from "./posting.ts";
import { atBoard } from "./session.ts";

export function releaseCommand(program: Command): void {
  const command = program.command("release").description("give back a question or task that you have claimed");
  command.argument("<id>", "the question or task, or your claim on it, by its id or a prefix");
  takesFields(atBoard(command)).action((id: string) => {
    let work = "";
    return postAct(command, {
      on: id,
      moves: () => work,
      fields: async (given, on, session) => {
        const { agent } = await session.key();
        const { work: held, claims } = await heldClaims(session.board, agent, on);
        const { id: target, derived } = held;
        const [newest, ...older] = claims;
        const holder = derived.claimed_by ? `, leased to ${derived.claimed_by} until ${derived.lease_until}` : "";
        if (newest === undefined)
          throw new Error(`You hold no lease on ${shortId(target)}: it is ${derived.status}${holder}; you are ${agent}. See docs/cli.md.`);
        work = target;
        return retract(newest, {
          ...given,
          refs: [...older.map((claim) => ({ rel: "retracts", id: claim }) as const), ...(given.refs ?? [])],
        });
      },
    });
  });
}
