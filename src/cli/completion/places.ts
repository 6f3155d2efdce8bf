import type { Argument, Command, Option } from "commander";

/** What stands at a place of the command line, as a shell can look it up. */
export type Values = { words: string[] } | { names: "sessions" | "profiles" } | "files" | "folders" | null;

export interface Flag {
	/** `--json`, `-V`. */
	names: string[];
	about: string;
	/** What its value may be; `undefined` for a flag without one. */
	value: Values | undefined;
}

/** A command as the shell meets it: `ccg`, `ccg task`, `ccg task checkpoint`. */
export interface CompletionPlace {
	path: string;
	commands: { name: string; about: string }[];
	flags: Flag[];
	argument: Values;
}

/** All commands of a program that are shown in its help, each with what may follow it. */
export function placesOf(command: Command, path = command.name()): CompletionPlace[] {
	const help = command.createHelp();
	const commands = help.visibleCommands(command);
	return [
		{
			path,
			commands: commands.map((one) => ({ name: one.name(), about: one.description() })),
			flags: help.visibleOptions(command).map(flagOf),
			argument: argumentOf(command.registeredArguments[0], path),
		},
		...commands
			.filter((one) => command.commands.includes(one))
			.flatMap((one) => placesOf(one as Command, `${path} ${one.name()}`)),
	];
}

function flagOf(option: Option): Flag {
	const takes = option.required || option.optional;
	return {
		names: [option.short, option.long].filter((name) => name !== undefined),
		about: option.description,
		value: takes ? (option.argChoices ? { words: [...option.argChoices] } : valuesOf(option.flags)) : undefined,
	};
}

function argumentOf(argument: Argument | undefined, path: string): Values {
	if (!argument) return null;
	if (argument.argChoices) return { words: [...argument.argChoices] };
	if (path.includes(" profile ")) return { names: "profiles" };
	return valuesOf(argument.name());
}

/** By the word the help uses for it. */
function valuesOf(text: string): Values {
	if (/--session|^session$/.test(text)) return { names: "sessions" };
	if (/folder|--project/.test(text)) return "folders";
	return /<file>|<path/.test(text) ? "files" : null;
}
