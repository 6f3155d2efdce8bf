import type { Command } from "commander";

/** The group's `list` command, which also runs when the group is called bare. */
export function listByDefault(group: Command): Command {
	return (
		group
			.command("list", { isDefault: true })
			// commander gives the default command whatever it does not know
			.allowExcessArguments()
			.hook("preAction", (list) => {
				if (list.args.length > 0)
					group.error(`error: unknown command '${list.args[0]}'`, { code: "commander.unknownCommand" });
			})
	);
}
