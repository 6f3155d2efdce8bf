import { join } from "node:path";
import { Command } from "commander";
import { registerMemory } from "../../../src/cli/commands/memory.ts";
import { projectFolder } from "../../../src/store/project.ts";
import { recordedIo } from "../../kit/recorded-io.ts";
import { scratch } from "../../scratch-home.ts";

export const NOW = new Date(2026, 0, 31, 9, 5);

/** A home and a folder, and `ccg memory` run in them, in this process. */
export function place(
	env?: Record<string, string>,
	{ interactive = false, answer = true, cwd = scratch("work") } = {},
) {
	const asked: string[] = [];
	const talk: string[] = [];
	const codes: number[] = [];
	const ask = async (question: string) => {
		asked.push(question);
		return answer;
	};
	const home = scratch("home");
	const folder = projectFolder(join(home, ".claude-memory"), cwd);
	const ccg = async (...args: string[]) => {
		const { io, out: lines } = recordedIo({
			env: env ?? { HOME: home },
			cwd,
			launcher: "/opt/ccg/bin/ccg",
			interactive,
			err: (line) => talk.push(line),
			tell: ({ text }) => talk.push(`ccg: ${text}`),
			exit: (code) => codes.push(code),
		});
		const program = new Command("ccg")
			.exitOverride()
			.configureOutput({ writeOut: (text) => lines.push(text), writeErr: () => {} });
		registerMemory(program, io, { now: () => NOW, stdin: () => "from stdin\nin two lines\n", ask });
		await program.parseAsync(["memory", ...args], { from: "user" });
		return lines.join("\n");
	};
	return { home, cwd, folder, ccg, asked, talk, codes };
}
