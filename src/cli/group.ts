// A command that only groups others: without a subcommand it lists them.
import type { Command } from "commander";

export function onlyNames(group: Command): Command {
  return (
    group
      .helpCommand(true)
      .usage("<command> [flags]")
      .allowUnknownOption()
      // Not by allowing excess arguments, which the commands of the group would inherit.
      .argument("[command...]")
      .action(() => {
        const [first] = group.args;
        if (first === undefined) group.help({ error: true });
        const which = `${pathOf(group)} <${group.commands.map((one) => one.name()).join("|")}> ...`;
        group.error(
          first.startsWith("-")
            ? `error: the command comes first, then its flags: ${which}`
            : `error: there is no command ${JSON.stringify(first)}: ${which}`,
        );
      })
  );
}

const pathOf = (command: Command): string => (command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`);
