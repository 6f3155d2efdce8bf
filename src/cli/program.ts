import { Command, CommanderError } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { relativeFolder } from "../store/paths.ts";
import { registerApprovals } from "./approvals.ts";
import { registerDemo } from "./demo.ts";
import { registerDoctor } from "./doctor.ts";
import { registerEnv } from "./env.ts";
import { registerGc } from "./gc.ts";
import { registerInstall } from "./install.ts";
import type { Io } from "./io.ts";
import { registerMemory } from "./memory.ts";
import { registerProfile } from "./profile.ts";
import { registerReport } from "./report.ts";
import { registerSessions } from "./sessions.ts";
import { registerShow } from "./show.ts";
import { registerStatus } from "./status.ts";
import { registerStatusline } from "./statusline.ts";
import { registerTask } from "./task.ts";
import { registerUninstall } from "./uninstall.ts";

/** Runs `ccg` with these arguments. Exit codes: 0 done (help and version too), 1 failed, 2 wrong use, or what the command sets. */
export async function runProgram(args: readonly string[], io: Io): Promise<void> {
	try {
		await programOf(io).parseAsync(args, { from: "user" });
	} catch (error) {
		if (error instanceof CommanderError) return io.exit(error.exitCode === 0 ? 0 : 2);
		io.err(`ccg: ${error instanceof Error ? error.message : String(error)}`);
		io.exit(1);
	}
}

function programOf(io: Io): Command {
	const program = new Command("ccg")
		.description("Keeps a Claude Code session's working memory alive across context compaction.")
		.version(manifest.version)
		.option("--no-color", "no colours (NO_COLOR does the same)")
		.addHelpText("after", "\nExamples:\n  ccg demo\n  ccg install --dry-run\n  ccg status --json")
		.exitOverride()
		.hook("preAction", () => refuseRelative(io));
	registerInstall(program, io);
	registerUninstall(program, io);
	registerStatus(program, io);
	registerStatusline(program, io);
	registerMemory(program, io);
	registerDoctor(program, io);
	registerDemo(program, io);
	registerShow(program, io);
	registerReport(program, io);
	registerSessions(program, io);
	registerApprovals(program, io);
	registerEnv(program, io);
	registerProfile(program, io);
	registerTask(program, io);
	registerGc(program, io);
	pointToOwnHelp(program, "ccg");
	return program;
}

/** After wrong use: the help of the command that was meant, not of all of ccg. */
function pointToOwnHelp(command: Command, name: string): void {
	command.showHelpAfterError(`(${name} --help shows what there is)`);
	for (const one of command.commands) pointToOwnHelp(one, `${name} ${one.name()}`);
}

function refuseRelative({ env }: Io): void {
	const name = relativeFolder(env);
	if (name)
		throw new Error(
			`${name} is '${env[name]}', a relative path: every folder would have a store of its own; set ${name} to an absolute path (a ~ in quotes is none)`,
		);
}
