import type { Command } from "commander";
import type { Io } from "./io.ts";

/** `ccg help [COMMAND…]`: the help of a command; and `ccg version`. */
export function registerHelp(program: Command, io: Io, version: string): void {
	program
		.command("version")
		.description("print the version, as --version does")
		.addHelpText("after", "\nExamples:\n  ccg version\n  ccg --version")
		.action(() => io.out(version));
	program
		.command("help")
		.description("the help of a command; without one, of the program")
		.argument("[command...]", "a command (task checkpoint)")
		.addHelpText("after", "\nExamples:\n  ccg help\n  ccg help task checkpoint")
		.action((words: string[], _: unknown, help: Command) => tell(words, program, help));
}

function tell(words: string[], program: Command, help: Command): void {
	if (words.length === 0) return program.outputHelp();
	const command = commandNamed(words, program);
	if (command) return command.outputHelp();
	help.error(`error: there is no command '${words.join(" ")}'`, { code: "ccg.unknownCommand", exitCode: 2 });
}

function commandNamed(words: string[], program: Command): Command | undefined {
	let at: Command | undefined = program;
	for (const word of words) at = at?.commands.find((one) => one.name() === word || one.aliases().includes(word));
	return at;
}
