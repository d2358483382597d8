// Mistakes in a command line that Commander accepts: empty values and repeated options.
import type { Command } from "commander";

/** Refuses empty values: most often they come from a shell variable that is not set. */
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

/** Refuses repeated options: one of two values would be ignored silently. */
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
