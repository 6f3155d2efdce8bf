import type { Command } from "commander";

/** The group's `list` command, which also runs when the group is called bare. */
export const listByDefault = (group: Command): Command => runsBare(group, "list");

/** A command of a group that also runs when the group is called bare. */
export function runsBare(group: Command, name: string): Command {
	return (
		group
			.command(name, { isDefault: true })
			// commander gives the default command whatever it does not know
			.allowExcessArguments()
			.hook("preAction", (list) => {
				if (list.args.length > 0)
					group.error(`error: unknown command '${list.args[0]}'`, { code: "commander.unknownCommand" });
			})
	);
}
