import type { Command } from "commander";
import { TOPICS } from "./help-topics.ts";
import type { Io } from "./io.ts";
import { wrapped } from "./layout/fit.ts";
import { asTyped } from "./own-name.ts";

/** `ccg help [WORDS…]`: the help of a command, or a topic; and `ccg version`. */
export function registerHelp(program: Command, io: Io, version: string): void {
	program
		.command("version")
		.description("print the version, as --version does")
		.addHelpText("after", "\nExamples:\n  ccg version\n  ccg --version")
		.action(() => io.out(version));
	program
		.command("help")
		.description("the help of a command, or a topic in plain words; without one, all of them")
		.argument("[topic...]", "a command (task checkpoint) or a topic (memory)")
		.addHelpText("after", `\nExamples:\n  ccg help\n  ccg help tasks\n  ccg help task checkpoint\n\n${topicList()}`)
		.action((words: string[], _: unknown, help: Command) => tell(words, program, help, io));
}

/** What there is to read, for the help of the whole program. */
export function topicList(): string {
	const names = Object.keys(TOPICS);
	const width = Math.max(...names.map((name) => name.length));
	return `Topics (ccg help TOPIC):\n${names.map((name) => `  ${name.padEnd(width)}  ${TOPICS[name]!.about}`).join("\n")}`;
}

function tell(words: string[], program: Command, help: Command, io: Io): void {
	const name = words.join(" ").toLowerCase();
	if (name === "") return program.outputHelp();
	// what people look for by another name
	const topic = TOPICS[name] ?? Object.values(TOPICS).find(({ also }) => also?.includes(name));
	const command = commandNamed(words, program);
	if (topic) tellTopic(topic.text, io);
	if (topic && command) io.out("");
	if (command) return command.outputHelp();
	if (!topic)
		help.error(`error: there is no command and no topic '${words.join(" ")}'`, {
			code: "ccg.unknownTopic",
			exitCode: 2,
		});
}

function commandNamed(words: string[], program: Command): Command | undefined {
	let at: Command | undefined = program;
	for (const word of words) at = at?.commands.find((one) => one.name() === word || one.aliases().includes(word));
	return at === program ? undefined : at;
}

/** Paragraphs are fitted; indented lines are examples and stay as they are. */
function tellTopic(text: string, io: Io): void {
	const width = Math.min(io.columns ?? 100, 100);
	for (const line of asTyped(text, io).split("\n"))
		for (const part of line.startsWith(" ") || line === "" ? [line] : wrapped(line, width)) io.out(part);
}
