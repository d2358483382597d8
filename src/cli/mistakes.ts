// Mistakes in how a command is called that Commander lets pass: what is empty, and what is said twice.
import type { Command } from "commander";

/** An empty text is most often a shell variable that was never set: no command takes one for a value. */
export function refuseEmpty(program: Command): void {
  for (const command of commandsIn(program)) {
    for (const option of command.options)
      command.on(`option:${option.name()}`, (value: unknown) => {
        if (value === "") command.error(`error: option '${option.flags}' has an empty value: give one, or leave the option out`);
      });
  }
  program.hook("preAction", (_program, command) => {
    const { registeredArguments: known, args } = command;
    for (const [i, value] of args.entries()) {
      const argument = known[i] ?? (known.at(-1)?.variadic === true ? known.at(-1) : undefined);
      if (argument !== undefined && value === "") command.error(`error: argument '${argument.name()}' is empty`);
    }
  });
}

/** Of two values one would be passed over in silence, and a switch that is said twice is most often a slip. */
export function refuseRepeated(program: Command): void {
  for (const command of commandsIn(program)) {
    const seen = new Set<string>();
    for (const option of command.options)
      command.on(`option:${option.name()}`, () => {
        if (seen.has(option.name())) command.error(`error: option '${option.flags}' is given twice`);
        seen.add(option.name());
      });
  }
}

const commandsIn = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(commandsIn)];
