// The attacker's process: prepares the attack that it is given, and begins on command.
import { ATTACKER, type Notes, type Stage } from "./attack.ts";
import { ATTACKS } from "./attacks.ts";
import { Caller } from "./caller.ts";

export type AttackOrder = (Omit<Stage, "caller"> & { readonly attack: string; readonly port: number }) | "go";
export interface AttackReport {
  readonly notes: Notes;
  readonly heard: Readonly<Record<string, number>>;
}

let go: (() => Promise<AttackReport>) | undefined;

async function obey(order: AttackOrder): Promise<AttackReport | "ready"> {
  if (order === "go") return (await go?.()) ?? { notes: {}, heard: {} };
  const { attack: name, port, ...stage } = order;
  const attack = ATTACKS.find((one) => one.name === name);
  if (attack === undefined) throw new Error(`There is no attack ${name}.`);
  const caller = new Caller(port, attack.address ?? ATTACKER);
  const begun = await attack.begin({ caller, ...stage });
  go = async () => {
    const notes = await begun();
    caller.leave();
    return { notes, heard: caller.heard };
  };
  return "ready";
}

process.on("message", (order: AttackOrder) => {
  void obey(order).then((report) => process.send?.(report));
});
process.on("disconnect", () => process.exit(0));
