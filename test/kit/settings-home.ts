import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import pc from "picocolors";
import { registerInstall } from "../../src/cli/commands/install.ts";
import { registerUninstall } from "../../src/cli/commands/uninstall.ts";
import type { Ask, AskText } from "../../src/cli/support/ask-on-terminal.ts";
import type { Io } from "../../src/cli/support/io.ts";
import { scratch } from "../scratch-home.ts";
import { recordedIo } from "./recorded-io.ts";

/** Settings that say nothing of ccg. */
export const TEXT = '{\n  "model": "opus"\n}\n';

interface With {
	interactive?: boolean;
	answer?: boolean;
	/** Answers what is asked for a text. */
	text?: string;
	colours?: boolean;
	env?: Io["env"];
	launcher?: string;
}

/** A home with the given settings, and `ccg install` and `uninstall` in its folder `work`. */
export function settingsHome(text: string | null) {
	const folder = scratch("cli");
	const path = join(folder, ".claude/settings.json");
	mkdirSync(join(folder, ".claude"));
	mkdirSync(join(folder, "work"));
	if (text !== null) writeFileSync(path, text);
	const place = { env: { HOME: folder }, cwd: join(folder, "work"), launcher: "/opt/ccg/bin/ccg" };

	const run = async (args: string[], { interactive = false, colours = false, answer, text, ...more }: With = {}) => {
		const recorded = recordedIo({ ...place, ...more, interactive, colours: pc.createColors(colours) });
		const [questions, texts]: string[][] = [[], []];
		const ask: Ask = async (question) => {
			questions!.push(question);
			return answer ?? false;
		};
		const askText: AskText = async (question) => {
			texts!.push(question);
			return text ?? "";
		};
		await programOf(recorded.io, ask, askText).parseAsync(args, { from: "user" });
		return {
			out: recorded.out.join("\n"),
			err: recorded.err.join("\n"),
			code: recorded.code,
			...(interactive && { questions }),
			...(text !== undefined && { texts }),
		};
	};
	const help = (name: string): string => {
		let said = "";
		const command = programOf(recordedIo(place).io).commands.find((candidate) => candidate.name() === name)!;
		command.configureOutput({
			writeOut: (part) => {
				said += part;
			},
		});
		command.outputHelp();
		return said;
	};
	return { folder, path, run, help };
}

function programOf(io: Io, ask?: Ask, askText?: AskText): Command {
	const program = new Command("ccg").exitOverride();
	registerInstall(program, io, ask, askText);
	registerUninstall(program, io, ask);
	return program;
}
