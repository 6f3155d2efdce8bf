import { join } from "node:path";
import { Command } from "commander";
import { registerApprovals } from "../../src/cli/commands/approvals.ts";
import { registerEnv } from "../../src/cli/commands/env.ts";
import { registerProfile } from "../../src/cli/commands/profile.ts";
import { registerSessions } from "../../src/cli/commands/sessions.ts";
import type { Io } from "../../src/cli/support/io.ts";
import { updateSession } from "../../src/events/steps/update-session.ts";
import { scratch } from "../scratch-home.ts";
import { Transcript } from "./events.ts";
import { recordedIo } from "./recorded-io.ts";
import { servicesFor } from "./services.ts";

export const NOW = new Date("2026-03-01T10:00:00Z");
export const SID = "0c0ffee0-0000-4000-8000-000000000000";

/** A store with one session of some turns, and the commands on it. */
export function sessionCommands({ interactive = false, answer = true, messages = 3 } = {}) {
	const home = scratch("home");
	const cwd = scratch("work");
	const root = join(home, ".claude-memory");
	const transcript = new Transcript(cwd, new Date("2026-03-01T09:00:00Z"));
	for (let n = 0; n < messages; n++) transcript.typed(`message ${n}`);
	transcript
		.rejected("Bash", { command: "git push" }, "never")
		.answered("Tabs?", "yes")
		.todos(["parse", "completed"], ["print", "pending"]);
	const transcript_path = transcript.write(join(home, "t.jsonl"));
	const services = servicesFor(home, {
		now: NOW,
		tell: ({ text }) => {
			throw new Error(text);
		},
	});
	const config = { ...services.config, context: { ...services.config.context, historyEntries: 1_000 } };
	updateSession({ session_id: SID, transcript_path, cwd }, { ...services, config });
	const asked: string[] = [];
	const ask = async (question: string): Promise<boolean> => {
		asked.push(question);
		return answer;
	};
	const ccg = async (...args: string[]) => {
		const recorded = recordedIo({ env: { HOME: home }, cwd, launcher: "/c", interactive });
		const { io, out, err } = recorded;
		const program = sessionProgram(io, ask).configureOutput({
			writeOut: (text) => out.push(text),
			writeErr: () => {},
		});
		await program.parseAsync(args, { from: "user" });
		return { out: out.join("\n"), err: err.join("\n"), code: recorded.code };
	};
	return { home, root, cwd, ccg, asked };
}

/** The commands on sessions, as of `NOW`. */
export function sessionProgram(io: Io, ask = async (_: string): Promise<boolean> => true): Command {
	const program = new Command("ccg").exitOverride();
	registerSessions(program, io, { now: () => NOW, ask });
	registerApprovals(program, io, () => NOW);
	registerProfile(program, io, () => NOW);
	registerEnv(program, io);
	return program;
}

/** What a command answered with `--json`. */
export const json = async (run: Promise<{ out: string }>) => JSON.parse((await run).out);
